// All parallel algorithms.
#pragma once

#include <dozer/algorithm/copy_if.hpp>
#include <dozer/algorithm/find.hpp>
#include <dozer/algorithm/histogram.hpp>
#include <dozer/algorithm/partition.hpp>
#include <dozer/algorithm/remove.hpp>
#include <dozer/algorithm/scan.hpp>
#include <dozer/algorithm/unique.hpp>
