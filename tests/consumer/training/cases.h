#pragma once

// The cases, one a file: each trains on as many ranks as there are and throws when something is not as it should be.

#include "trial.h"

namespace consumer {

void train_experts(Trial& trial);
void train_gan(Trial& trial);
void train_lbfgs(Trial& trial);
void make_many_models(Trial& trial);
void train_lstm(Trial& trial);
void train_odd_parameters(Trial& trial);
void wrap_refused_parameters(Trial& trial);
void train_tied(Trial& trial);
void train_uneven(Trial& trial);
void train_wgan_gp(Trial& trial);

}  // namespace consumer
