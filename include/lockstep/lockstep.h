#pragma once

// All of Lockstep for programs that use libtorch. Those that do not include the headers they need; each that does not
// mention torch stands on lockstep::core alone.

#include "lockstep/array_file.h"
#include "lockstep/array_tensor.h"
#include "lockstep/autocast.h"
#include "lockstep/comm_hook.h"
#include "lockstep/communicator.h"
#include "lockstep/config.h"
#include "lockstep/dataset.h"
#include "lockstep/datasets.h"
#include "lockstep/distributed_data_parallel.h"
#include "lockstep/error.h"
#include "lockstep/failure.h"
#include "lockstep/grad_scaler.h"
#include "lockstep/gradient_sync.h"
#include "lockstep/loader.h"
#include "lockstep/log.h"
#include "lockstep/lr_schedule.h"
#include "lockstep/plateau.h"
#include "lockstep/sample_random.h"
#include "lockstep/sampler.h"
#include "lockstep/sync_batch_norm.h"
#include "lockstep/token_data.h"
#include "lockstep/transforms.h"
#include "lockstep/version.h"
#include "lockstep/world.h"
