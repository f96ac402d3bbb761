/* For programs that embed libunroll: its version. */
#pragma once

#define UNR_VERSION_MAJOR 0
#define UNR_VERSION_MINOR 1
#define UNR_VERSION_PATCH 0
#define UNR_VERSION "0.1.0"
