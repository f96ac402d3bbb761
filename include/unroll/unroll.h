/* For programs that embed libunroll: its version, and the calls that start options, choose a layout and report errors. */
#pragma once

#define UNR_VERSION_MAJOR 0
#define UNR_VERSION_MINOR 1
#define UNR_VERSION_PATCH 0
#define UNR_VERSION "0.1.0"
