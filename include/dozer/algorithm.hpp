// All parallel algorithms.
#pragma once

#include <dozer/algorithm/any_of.hpp>
#include <dozer/algorithm/copy.hpp>
#include <dozer/algorithm/copy_if.hpp>
#include <dozer/algorithm/count.hpp>
#include <dozer/algorithm/equal.hpp>
#include <dozer/algorithm/fill.hpp>
#include <dozer/algorithm/find.hpp>
#include <dozer/algorithm/for_each.hpp>
#include <dozer/algorithm/histogram.hpp>
#include <dozer/algorithm/is_sorted.hpp>
#include <dozer/algorithm/merge.hpp>
#include <dozer/algorithm/min_element.hpp>
#include <dozer/algorithm/mismatch.hpp>
#include <dozer/algorithm/nth_element.hpp>
#include <dozer/algorithm/partial_sort.hpp>
#include <dozer/algorithm/partition.hpp>
#include <dozer/algorithm/reduce.hpp>
#include <dozer/algorithm/reduce_deterministic.hpp>
#include <dozer/algorithm/remove.hpp>
#include <dozer/algorithm/reverse.hpp>
#include <dozer/algorithm/scan.hpp>
#include <dozer/algorithm/sort.hpp>
#include <dozer/algorithm/stable_sort.hpp>
#include <dozer/algorithm/transform.hpp>
#include <dozer/algorithm/unique.hpp>
