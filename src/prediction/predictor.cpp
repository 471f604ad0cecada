#include "prediction/predictor.hpp"

namespace oscbo::prediction {

void PredictionBatch::resize(Index count, Index dimension) {
  points.resize(count, dimension);
  points.set_zero();
  numeric::grow_to(means, points.padded_rows());
  numeric::grow_to(variances, points.padded_rows());
}

}  // namespace oscbo::prediction
