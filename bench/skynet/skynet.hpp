// A tree of ten branches at each node, ten million leaves; each leaf is a number, and they are added up.
#pragma once
inline constexpr long skynet_leaves = 10'000'000;
inline constexpr long skynet_expected = skynet_leaves * (skynet_leaves - 1) / 2;
