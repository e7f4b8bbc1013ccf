// The algorithms.
#pragma once

#include <dozer/algorithm/find.hpp>
#include <dozer/algorithm/merge.hpp>
#include <dozer/algorithm/nth_element.hpp>
#include <dozer/algorithm/partial_sort.hpp>
#include <dozer/algorithm/sort.hpp>
#include <dozer/algorithm/stable_sort.hpp>
