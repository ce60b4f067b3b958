#[macro_export]
macro_rules! nvml_clocks_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlDeviceGetClockInfo since 11070 [todo forward call]
        (device: val(nvmlDevice_t), type_: val(nvmlClockType_t), clock: out(u32));

    fn nvmlDeviceGetMaxClockInfo since 11070 [todo forward call]
        (device: val(nvmlDevice_t), type_: val(nvmlClockType_t), clock: out(u32));

    fn nvmlDeviceGetGpcClkVfOffset since 11070 [todo forward call]
        (device: val(nvmlDevice_t), offset: out(i32));

    fn nvmlDeviceGetApplicationsClock since 11070 [todo forward call]
        (device: val(nvmlDevice_t), clockType: val(nvmlClockType_t), clockMHz: out(u32));

    fn nvmlDeviceGetDefaultApplicationsClock since 11070 [todo forward call]
        (device: val(nvmlDevice_t), clockType: val(nvmlClockType_t), clockMHz: out(u32));

    fn nvmlDeviceGetClock since 11070 [todo forward call]
        (device: val(nvmlDevice_t), clockType: val(nvmlClockType_t), clockId: val(nvmlClockId_t), clockMHz: out(u32));

    fn nvmlDeviceGetMaxCustomerBoostClock since 11070 [todo forward call]
        (device: val(nvmlDevice_t), clockType: val(nvmlClockType_t), clockMHz: out(u32));

    fn nvmlDeviceGetSupportedMemoryClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t), count: inout(u32), clocksMHz: array_out(u32, count));

    fn nvmlDeviceGetSupportedGraphicsClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t), memoryClockMHz: val(u32), count: inout(u32), clocksMHz: array_out(u32, count));

    fn nvmlDeviceGetAutoBoostedClocksEnabled since 11070 [todo forward call]
        (device: val(nvmlDevice_t), isEnabled: out(nvmlEnableState_t), defaultIsEnabled: out(nvmlEnableState_t));

    fn nvmlDeviceGetFanSpeed since 11070 [todo forward call]
        (device: val(nvmlDevice_t), speed: out(u32));

    fn nvmlDeviceGetFanSpeed_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), fan: val(u32), speed: out(u32));

    fn nvmlDeviceGetFanSpeedRPM since 12080 [todo forward call]
        (device: val(nvmlDevice_t), fanSpeed: inout(nvmlFanSpeedInfo_t));

    fn nvmlDeviceGetTargetFanSpeed since 11080 [todo forward call]
        (device: val(nvmlDevice_t), fan: val(u32), targetSpeed: out(u32));

    fn nvmlDeviceGetMinMaxFanSpeed since 11070 [todo forward call]
        (device: val(nvmlDevice_t), minSpeed: out(u32), maxSpeed: out(u32));

    fn nvmlDeviceGetFanControlPolicy_v2 since 12000 [todo forward call]
        (device: val(nvmlDevice_t), fan: val(u32), policy: out(nvmlFanControlPolicy_t));

    fn nvmlDeviceGetNumFans since 11070 [todo forward call]
        (device: val(nvmlDevice_t), numFans: out(u32));

    fn nvmlDeviceGetTemperature since 11070 [todo forward call]
        (device: val(nvmlDevice_t), sensorType: val(nvmlTemperatureSensors_t), temp: out(u32));

    fn nvmlDeviceGetCoolerInfo since 12080 [todo forward call]
        (device: val(nvmlDevice_t), coolerInfo: inout(nvmlCoolerInfo_t));

    fn nvmlDeviceGetTemperatureV since 12080 [todo forward call]
        (device: val(nvmlDevice_t), temperature: inout(nvmlTemperature_t));

    fn nvmlDeviceGetTemperatureThreshold since 11070 [todo forward call]
        (device: val(nvmlDevice_t), thresholdType: val(nvmlTemperatureThresholds_t), temp: out(u32));

    fn nvmlDeviceGetMarginTemperature since 12080 [todo forward call]
        (device: val(nvmlDevice_t), marginTempInfo: inout(nvmlMarginTemperature_t));

    fn nvmlDeviceGetThermalSettings since 11070 [todo forward call]
        (device: val(nvmlDevice_t), sensorIndex: val(u32), pThermalSettings: out(nvmlGpuThermalSettings_t));

    fn nvmlDeviceGetPerformanceState since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pState: out(nvmlPstates_t));

    fn nvmlDeviceGetCurrentClocksEventReasons since 12020 [todo forward call]
        (device: val(nvmlDevice_t), clocksEventReasons: out(u64));

    fn nvmlDeviceGetCurrentClocksThrottleReasons since 11070 [todo forward call]
        (device: val(nvmlDevice_t), clocksThrottleReasons: out(u64));

    fn nvmlDeviceGetSupportedClocksEventReasons since 12020 [todo forward call]
        (device: val(nvmlDevice_t), supportedClocksEventReasons: out(u64));

    fn nvmlDeviceGetSupportedClocksThrottleReasons since 11070 [todo forward call]
        (device: val(nvmlDevice_t), supportedClocksThrottleReasons: out(u64));

    fn nvmlDeviceGetPowerState since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pState: out(nvmlPstates_t));

    fn nvmlDeviceGetDynamicPstatesInfo since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pDynamicPstatesInfo: out(nvmlGpuDynamicPstatesInfo_t));

    fn nvmlDeviceGetMemClkVfOffset since 11080 [todo forward call]
        (device: val(nvmlDevice_t), offset: out(i32));

    fn nvmlDeviceGetMinMaxClockOfPState since 11070 [todo forward call]
        (device: val(nvmlDevice_t), type_: val(nvmlClockType_t), pstate: val(nvmlPstates_t), minClockMHz: out(u32),
         maxClockMHz: out(u32));

    fn nvmlDeviceGetSupportedPerformanceStates since 11070 [todo forward call]
        (device: val(nvmlDevice_t), pstates: bytes_mut(size), size: val(u32));

    fn nvmlDeviceGetGpcClkMinMaxVfOffset since 11080 [todo forward call]
        (device: val(nvmlDevice_t), minOffset: out(i32), maxOffset: out(i32));

    fn nvmlDeviceGetMemClkMinMaxVfOffset since 11080 [todo forward call]
        (device: val(nvmlDevice_t), minOffset: out(i32), maxOffset: out(i32));

    fn nvmlDeviceGetClockOffsets since 12050 [todo forward call]
        (device: val(nvmlDevice_t), info: inout(nvmlClockOffset_t));

    fn nvmlDeviceSetClockOffsets since 12050 [todo forward call]
        (device: val(nvmlDevice_t), info: input(nvmlClockOffset_t));

    fn nvmlDeviceGetPerformanceModes since 12080 [todo forward call]
        (device: val(nvmlDevice_t), perfModes: inout(nvmlDevicePerfModes_t));

    fn nvmlDeviceGetCurrentClockFreqs since 12080 [todo forward call]
        (device: val(nvmlDevice_t), currentClockFreqs: inout(nvmlDeviceCurrentClockFreqs_t));

    fn nvmlDeviceGetPowerManagementMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), mode: out(nvmlEnableState_t));

    fn nvmlDeviceGetPowerManagementLimit since 11070 [todo forward call]
        (device: val(nvmlDevice_t), limit: out(u32));

    fn nvmlDeviceGetPowerManagementLimitConstraints since 11070 [todo forward call]
        (device: val(nvmlDevice_t), minLimit: out(u32), maxLimit: out(u32));

    fn nvmlDeviceGetPowerManagementDefaultLimit since 11070 [todo forward call]
        (device: val(nvmlDevice_t), defaultLimit: out(u32));

    fn nvmlDeviceGetPowerUsage since 11070 [todo forward call]
        (device: val(nvmlDevice_t), power: out(u32));

    fn nvmlDeviceGetPowerMizerMode_v1 since 13000 [todo forward call]
        (device: val(nvmlDevice_t), powerMizerMode: out(nvmlDevicePowerMizerModes_v1_t));

    fn nvmlDeviceSetPowerMizerMode_v1 since 13000 [todo forward call]
        (device: val(nvmlDevice_t), powerMizerMode: input(nvmlDevicePowerMizerModes_v1_t));

    fn nvmlDeviceGetTotalEnergyConsumption since 11070 [todo forward call]
        (device: val(nvmlDevice_t), energy: out(u64));

    fn nvmlDeviceGetEnforcedPowerLimit since 11070 [todo forward call]
        (device: val(nvmlDevice_t), limit: out(u32));

    fn nvmlDeviceSetAdaptiveTgpMode_v1 since 13040 [todo forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlEnableState_t));

    fn nvmlDeviceGetAdaptiveTgpModeInfo_v1 since 13040 [todo forward call]
        (device: val(nvmlDevice_t), info: out(nvmlAdaptiveTgpModeInfo_v1_t));

    fn nvmlDeviceGetViolationStatus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), perfPolicyType: val(nvmlPerfPolicyType_t), violTime: out(nvmlViolationTime_t));

    fn nvmlDeviceGetPowerSource since 11070 [todo forward call]
        (device: val(nvmlDevice_t), powerSource: out(nvmlPowerSource_t));

    fn nvmlDeviceGetAdaptiveClockInfoStatus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), adaptiveClockStatus: out(u32));

    fn nvmlDeviceSetPowerManagementLimit since 11070 [todo forward call]
        (device: val(nvmlDevice_t), limit: val(u32));

    fn nvmlDeviceSetPowerManagementLimit_v2 since 12020 [todo forward call]
        (device: val(nvmlDevice_t), powerValue: input(nvmlPowerValue_v2_t));

    fn nvmlDeviceGetClkMonStatus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), status: out(nvmlClkMonStatus_t));

    fn nvmlDeviceSetGpuLockedClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t), minGpuClockMHz: val(u32), maxGpuClockMHz: val(u32));

    fn nvmlDeviceResetGpuLockedClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    fn nvmlDeviceSetMemoryLockedClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t), minMemClockMHz: val(u32), maxMemClockMHz: val(u32));

    fn nvmlDeviceResetMemoryLockedClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    fn nvmlDeviceSetApplicationsClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t), memClockMHz: val(u32), graphicsClockMHz: val(u32));

    fn nvmlDeviceResetApplicationsClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    fn nvmlDeviceSetAutoBoostedClocksEnabled since 11070 [todo forward call]
        (device: val(nvmlDevice_t), enabled: val(nvmlEnableState_t));

    fn nvmlDeviceSetDefaultAutoBoostedClocksEnabled since 11070 [todo forward call]
        (device: val(nvmlDevice_t), enabled: val(nvmlEnableState_t), flags: val(u32));

    fn nvmlDeviceSetDefaultFanSpeed_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), fan: val(u32));

    fn nvmlDeviceSetFanControlPolicy since 12000 [todo forward call]
        (device: val(nvmlDevice_t), fan: val(u32), policy: val(nvmlFanControlPolicy_t));

    fn nvmlDeviceSetTemperatureThreshold since 11070 [todo forward call]
        (device: val(nvmlDevice_t), thresholdType: val(nvmlTemperatureThresholds_t), temp: input(i32));

    fn nvmlDeviceSetFanSpeed_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), fan: val(u32), speed: val(u32));

    fn nvmlDeviceSetGpcClkVfOffset since 11070 [todo forward call]
        (device: val(nvmlDevice_t), offset: val(i32));

    fn nvmlDeviceSetMemClkVfOffset since 11080 [todo forward call]
        (device: val(nvmlDevice_t), offset: val(i32));

    fn nvmlDeviceWorkloadPowerProfileGetProfilesInfo since 12080 [todo forward call]
        (device: val(nvmlDevice_t), profilesInfo: inout(nvmlWorkloadPowerProfileProfilesInfo_t));

    fn nvmlDeviceWorkloadPowerProfileGetCurrentProfiles since 12080 [todo forward call]
        (device: val(nvmlDevice_t), currentProfiles: inout(nvmlWorkloadPowerProfileCurrentProfiles_t));

    fn nvmlDeviceWorkloadPowerProfileSetRequestedProfiles since 12080 [todo forward call]
        (device: val(nvmlDevice_t), requestedProfiles: input(nvmlWorkloadPowerProfileRequestedProfiles_t));

    fn nvmlDeviceWorkloadPowerProfileClearRequestedProfiles since 12080 [todo forward call]
        (device: val(nvmlDevice_t), requestedProfiles: input(nvmlWorkloadPowerProfileRequestedProfiles_t));

    fn nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1 since 13010 [todo forward call]
        (device: val(nvmlDevice_t), updateProfiles: input(nvmlWorkloadPowerProfileUpdateProfiles_v1_t));

    fn nvmlDevicePowerSmoothingActivatePresetProfile since 12080 [todo forward call]
        (device: val(nvmlDevice_t), profile: input(nvmlPowerSmoothingProfile_t));

    fn nvmlDevicePowerSmoothingUpdatePresetProfileParam since 12080 [todo forward call]
        (device: val(nvmlDevice_t), profile: input(nvmlPowerSmoothingProfile_t));

    fn nvmlDevicePowerSmoothingSetState since 12080 [todo forward call]
        (device: val(nvmlDevice_t), state: input(nvmlPowerSmoothingState_t));

}}}}
