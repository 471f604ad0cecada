// Names of the namespace numeric that oscbo::gp uses without a prefix.
#pragma once

#include "numeric/padded_matrix.hpp"

namespace oscbo::gp {

using numeric::Index;
using numeric::kLanes;
using numeric::Packet;
using numeric::packet_at;
using numeric::PaddedMatrix;
using numeric::round_down_to_lanes;
using numeric::round_up_to_lanes;
using numeric::Vector;

}  // namespace oscbo::gp
