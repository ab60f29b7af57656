/* fmi_api.h - what importers see of the shared object: functions of FMI, and nothing else. */
#ifndef CAPSTAN_FMU_FMI_API_H
#define CAPSTAN_FMU_FMI_API_H

#ifdef _WIN32
#define FMI_API __declspec(dllexport)
#else
#define FMI_API __attribute__((visibility("default")))
#endif

#endif
