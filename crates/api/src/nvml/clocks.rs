#[macro_export]
#[doc(hidden)]
macro_rules! nvml_clocks_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// A clock now.
    fn nvmlDeviceGetClockInfo since 11070 [soft forward call]
        (device: val(nvmlDevice_t), type_: val(nvmlClockType_t), clock: out(u32));

    /// Highest value of a clock.
    fn nvmlDeviceGetMaxClockInfo since 11070 [soft forward call]
        (device: val(nvmlDevice_t), type_: val(nvmlClockType_t), clock: out(u32));

    /// Offset of the graphics clock.
    fn nvmlDeviceGetGpcClkVfOffset since 11070 [absent forward call]
        (device: val(nvmlDevice_t), offset: out(i32));

    /// Clock that applications run at.
    fn nvmlDeviceGetApplicationsClock since 11070 [soft forward call]
        (device: val(nvmlDevice_t), clockType: val(nvmlClockType_t), clockMHz: out(u32));

    /// Clock that applications run at by default.
    fn nvmlDeviceGetDefaultApplicationsClock since 11070 [soft forward call]
        (device: val(nvmlDevice_t), clockType: val(nvmlClockType_t), clockMHz: out(u32));

    /// A clock of a given meaning.
    fn nvmlDeviceGetClock since 11070 [soft forward call]
        (device: val(nvmlDevice_t), clockType: val(nvmlClockType_t), clockId: val(nvmlClockId_t), clockMHz: out(u32));

    /// Highest boost a customer may ask for.
    fn nvmlDeviceGetMaxCustomerBoostClock since 11070 [absent forward call]
        (device: val(nvmlDevice_t), clockType: val(nvmlClockType_t), clockMHz: out(u32));

    /// Memory clocks to choose from.
    fn nvmlDeviceGetSupportedMemoryClocks since 11070 [soft forward call]
        (device: val(nvmlDevice_t), count: inout(u32), clocksMHz: array_out(u32, count));

    /// Graphics clocks to choose from at a memory clock.
    fn nvmlDeviceGetSupportedGraphicsClocks since 11070 [soft forward call]
        (device: val(nvmlDevice_t), memoryClockMHz: val(u32), count: inout(u32), clocksMHz: array_out(u32, count));

    /// Whether clocks rise by themselves.
    fn nvmlDeviceGetAutoBoostedClocksEnabled since 11070 [absent forward call]
        (device: val(nvmlDevice_t), isEnabled: out(nvmlEnableState_t), defaultIsEnabled: out(nvmlEnableState_t));

    /// Speed of the fan, in percent.
    fn nvmlDeviceGetFanSpeed since 11070 [absent forward call]
        (device: val(nvmlDevice_t), speed: out(u32));

    /// Speed of one fan, in percent.
    fn nvmlDeviceGetFanSpeed_v2 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), fan: val(u32), speed: out(u32));

    /// Speed of one fan, in turns per minute.
    fn nvmlDeviceGetFanSpeedRPM since 12080 [absent forward call]
        (device: val(nvmlDevice_t), fanSpeed: inout(nvmlFanSpeedInfo_t));

    /// Speed a fan is told to reach.
    fn nvmlDeviceGetTargetFanSpeed since 11080 [absent forward call]
        (device: val(nvmlDevice_t), fan: val(u32), targetSpeed: out(u32));

    /// Lowest and highest fan speed.
    fn nvmlDeviceGetMinMaxFanSpeed since 11070 [absent forward call]
        (device: val(nvmlDevice_t), minSpeed: out(u32), maxSpeed: out(u32));

    /// Who controls a fan.
    fn nvmlDeviceGetFanControlPolicy_v2 since 12000 [absent forward call]
        (device: val(nvmlDevice_t), fan: val(u32), policy: out(nvmlFanControlPolicy_t));

    /// How many fans a device has.
    fn nvmlDeviceGetNumFans since 11070 [soft forward call]
        (device: val(nvmlDevice_t), numFans: out(u32));

    /// Temperature at a sensor.
    fn nvmlDeviceGetTemperature since 11070 [soft forward call]
        (device: val(nvmlDevice_t), sensorType: val(nvmlTemperatureSensors_t), temp: out(u32));

    /// Kind and target of a cooler.
    fn nvmlDeviceGetCoolerInfo since 12080 [absent forward call]
        (device: val(nvmlDevice_t), coolerInfo: inout(nvmlCoolerInfo_t));

    /// Temperature at a sensor, in a versioned struct.
    fn nvmlDeviceGetTemperatureV since 12080 [soft forward call]
        (device: val(nvmlDevice_t), temperature: inout(nvmlTemperature_t));

    /// A temperature at which something happens.
    fn nvmlDeviceGetTemperatureThreshold since 11070 [soft forward call]
        (device: val(nvmlDevice_t), thresholdType: val(nvmlTemperatureThresholds_t), temp: out(u32));

    /// Degrees left before clocks drop.
    fn nvmlDeviceGetMarginTemperature since 12080 [soft forward call]
        (device: val(nvmlDevice_t), marginTempInfo: inout(nvmlMarginTemperature_t));

    /// Sensors of a device.
    fn nvmlDeviceGetThermalSettings since 11070 [todo forward call]
        (device: val(nvmlDevice_t), sensorIndex: val(u32), pThermalSettings: out(nvmlGpuThermalSettings_t));

    /// Performance state now.
    fn nvmlDeviceGetPerformanceState since 11070 [soft forward call]
        (device: val(nvmlDevice_t), pState: out(nvmlPstates_t));

    /// Why clocks are below their highest.
    fn nvmlDeviceGetCurrentClocksEventReasons since 12020 [soft forward call]
        (device: val(nvmlDevice_t), clocksEventReasons: out(u64));

    /// Why clocks are below their highest, under its old name.
    fn nvmlDeviceGetCurrentClocksThrottleReasons since 11070 [soft forward call]
        (device: val(nvmlDevice_t), clocksThrottleReasons: out(u64));

    /// Reasons a device can name.
    fn nvmlDeviceGetSupportedClocksEventReasons since 12020 [soft forward call]
        (device: val(nvmlDevice_t), supportedClocksEventReasons: out(u64));

    /// Reasons a device can name, under its old name.
    fn nvmlDeviceGetSupportedClocksThrottleReasons since 11070 [soft forward call]
        (device: val(nvmlDevice_t), supportedClocksThrottleReasons: out(u64));

    /// Performance state now, under its old name.
    fn nvmlDeviceGetPowerState since 11070 [soft forward call]
        (device: val(nvmlDevice_t), pState: out(nvmlPstates_t));

    /// Utilisation by domain, as the governor sees it.
    fn nvmlDeviceGetDynamicPstatesInfo since 11070 [soft answer call]
        (device: val(nvmlDevice_t), pDynamicPstatesInfo: out(nvmlGpuDynamicPstatesInfo_t));

    /// Offset of the memory clock.
    fn nvmlDeviceGetMemClkVfOffset since 11080 [absent forward call]
        (device: val(nvmlDevice_t), offset: out(i32));

    /// Lowest and highest clock in a performance state.
    fn nvmlDeviceGetMinMaxClockOfPState since 11070 [soft forward call]
        (device: val(nvmlDevice_t), type_: val(nvmlClockType_t), pstate: val(nvmlPstates_t), minClockMHz: out(u32),
         maxClockMHz: out(u32));

    /// Performance states of a device.
    fn nvmlDeviceGetSupportedPerformanceStates since 11070 [soft forward call]
        (device: val(nvmlDevice_t), pstates: bytes_mut(size), size: val(u32));

    /// Lowest and highest offset of the graphics clock.
    fn nvmlDeviceGetGpcClkMinMaxVfOffset since 11080 [absent forward call]
        (device: val(nvmlDevice_t), minOffset: out(i32), maxOffset: out(i32));

    /// Lowest and highest offset of the memory clock.
    fn nvmlDeviceGetMemClkMinMaxVfOffset since 11080 [absent forward call]
        (device: val(nvmlDevice_t), minOffset: out(i32), maxOffset: out(i32));

    /// Offset of a clock in a performance state.
    fn nvmlDeviceGetClockOffsets since 12050 [absent forward call]
        (device: val(nvmlDevice_t), info: inout(nvmlClockOffset_t));

    /// Changes the offset of a clock in a performance state.
    fn nvmlDeviceSetClockOffsets since 12050 [absent forward call]
        (device: val(nvmlDevice_t), info: input(nvmlClockOffset_t));

    /// Clocks of every performance state, as text.
    fn nvmlDeviceGetPerformanceModes since 12080 [todo forward call]
        (device: val(nvmlDevice_t), perfModes: inout(nvmlDevicePerfModes_t));

    /// Clocks now, as text.
    fn nvmlDeviceGetCurrentClockFreqs since 12080 [todo forward call]
        (device: val(nvmlDevice_t), currentClockFreqs: inout(nvmlDeviceCurrentClockFreqs_t));

    /// Whether power is managed.
    fn nvmlDeviceGetPowerManagementMode since 11070 [soft forward call]
        (device: val(nvmlDevice_t), mode: out(nvmlEnableState_t));

    /// Power limit that was asked for.
    fn nvmlDeviceGetPowerManagementLimit since 11070 [soft forward call]
        (device: val(nvmlDevice_t), limit: out(u32));

    /// Lowest and highest power limit.
    fn nvmlDeviceGetPowerManagementLimitConstraints since 11070 [soft forward call]
        (device: val(nvmlDevice_t), minLimit: out(u32), maxLimit: out(u32));

    /// Power limit by default.
    fn nvmlDeviceGetPowerManagementDefaultLimit since 11070 [soft forward call]
        (device: val(nvmlDevice_t), defaultLimit: out(u32));

    /// Power drawn now.
    fn nvmlDeviceGetPowerUsage since 11070 [soft forward call]
        (device: val(nvmlDevice_t), power: out(u32));

    /// How the driver trades power for speed.
    fn nvmlDeviceGetPowerMizerMode_v1 since 13000 [absent forward call]
        (device: val(nvmlDevice_t), powerMizerMode: out(nvmlDevicePowerMizerModes_v1_t));

    /// How the driver shall trade power for speed.
    fn nvmlDeviceSetPowerMizerMode_v1 since 13000 [absent forward call]
        (device: val(nvmlDevice_t), powerMizerMode: input(nvmlDevicePowerMizerModes_v1_t));

    /// Energy used since the driver was loaded.
    fn nvmlDeviceGetTotalEnergyConsumption since 11070 [soft forward call]
        (device: val(nvmlDevice_t), energy: out(u64));

    /// Power limit in force.
    fn nvmlDeviceGetEnforcedPowerLimit since 11070 [soft forward call]
        (device: val(nvmlDevice_t), limit: out(u32));

    /// Whether the power budget shall adapt.
    fn nvmlDeviceSetAdaptiveTgpMode_v1 since 13040 [absent forward call]
        (device: val(nvmlDevice_t), mode: val(nvmlEnableState_t));

    /// Whether the power budget adapts.
    fn nvmlDeviceGetAdaptiveTgpModeInfo_v1 since 13040 [absent forward call]
        (device: val(nvmlDevice_t), info: out(nvmlAdaptiveTgpModeInfo_v1_t));

    /// How long a limit has held clocks down.
    fn nvmlDeviceGetViolationStatus since 11070 [todo forward call]
        (device: val(nvmlDevice_t), perfPolicyType: val(nvmlPerfPolicyType_t), violTime: out(nvmlViolationTime_t));

    /// Where power comes from.
    fn nvmlDeviceGetPowerSource since 11070 [absent forward call]
        (device: val(nvmlDevice_t), powerSource: out(nvmlPowerSource_t));

    /// Whether clocks adapt to voltage.
    fn nvmlDeviceGetAdaptiveClockInfoStatus since 11070 [absent forward call]
        (device: val(nvmlDevice_t), adaptiveClockStatus: out(u32));

    /// Changes the power limit.
    fn nvmlDeviceSetPowerManagementLimit since 11070 [absent forward call]
        (device: val(nvmlDevice_t), limit: val(u32));

    /// Changes the power limit of a part of the device.
    fn nvmlDeviceSetPowerManagementLimit_v2 since 12020 [absent forward call]
        (device: val(nvmlDevice_t), powerValue: input(nvmlPowerValue_v2_t));

    /// Clocks that failed their monitor.
    fn nvmlDeviceGetClkMonStatus since 11070 [absent forward call]
        (device: val(nvmlDevice_t), status: out(nvmlClkMonStatus_t));

    /// Keeps the graphics clock in a range.
    fn nvmlDeviceSetGpuLockedClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t), minGpuClockMHz: val(u32), maxGpuClockMHz: val(u32));

    /// Frees the graphics clock.
    fn nvmlDeviceResetGpuLockedClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    /// Keeps the memory clock in a range.
    fn nvmlDeviceSetMemoryLockedClocks since 11070 [absent forward call]
        (device: val(nvmlDevice_t), minMemClockMHz: val(u32), maxMemClockMHz: val(u32));

    /// Frees the memory clock.
    fn nvmlDeviceResetMemoryLockedClocks since 11070 [absent forward call]
        (device: val(nvmlDevice_t));

    /// Clocks that applications shall run at.
    fn nvmlDeviceSetApplicationsClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t), memClockMHz: val(u32), graphicsClockMHz: val(u32));

    /// Lets applications run at default clocks.
    fn nvmlDeviceResetApplicationsClocks since 11070 [todo forward call]
        (device: val(nvmlDevice_t));

    /// Whether clocks shall rise by themselves.
    fn nvmlDeviceSetAutoBoostedClocksEnabled since 11070 [absent forward call]
        (device: val(nvmlDevice_t), enabled: val(nvmlEnableState_t));

    /// Whether clocks shall rise by themselves by default.
    fn nvmlDeviceSetDefaultAutoBoostedClocksEnabled since 11070 [absent forward call]
        (device: val(nvmlDevice_t), enabled: val(nvmlEnableState_t), flags: val(u32));

    /// Gives a fan back to its controller.
    fn nvmlDeviceSetDefaultFanSpeed_v2 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), fan: val(u32));

    /// Who shall control a fan.
    fn nvmlDeviceSetFanControlPolicy since 12000 [absent forward call]
        (device: val(nvmlDevice_t), fan: val(u32), policy: val(nvmlFanControlPolicy_t));

    /// Changes a temperature at which something happens.
    fn nvmlDeviceSetTemperatureThreshold since 11070 [absent forward call]
        (device: val(nvmlDevice_t), thresholdType: val(nvmlTemperatureThresholds_t), temp: input(i32));

    /// Speed a fan shall have.
    fn nvmlDeviceSetFanSpeed_v2 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), fan: val(u32), speed: val(u32));

    /// Changes the offset of the graphics clock.
    fn nvmlDeviceSetGpcClkVfOffset since 11070 [absent forward call]
        (device: val(nvmlDevice_t), offset: val(i32));

    /// Changes the offset of the memory clock.
    fn nvmlDeviceSetMemClkVfOffset since 11080 [absent forward call]
        (device: val(nvmlDevice_t), offset: val(i32));

    /// Power profiles a device knows.
    fn nvmlDeviceWorkloadPowerProfileGetProfilesInfo since 12080 [absent forward call]
        (device: val(nvmlDevice_t), profilesInfo: inout(nvmlWorkloadPowerProfileProfilesInfo_t));

    /// Power profiles asked for and in force.
    fn nvmlDeviceWorkloadPowerProfileGetCurrentProfiles since 12080 [absent forward call]
        (device: val(nvmlDevice_t), currentProfiles: inout(nvmlWorkloadPowerProfileCurrentProfiles_t));

    /// Asks for power profiles.
    fn nvmlDeviceWorkloadPowerProfileSetRequestedProfiles since 12080 [absent forward call]
        (device: val(nvmlDevice_t), requestedProfiles: input(nvmlWorkloadPowerProfileRequestedProfiles_t));

    /// Asks no longer for power profiles.
    fn nvmlDeviceWorkloadPowerProfileClearRequestedProfiles since 12080 [absent forward call]
        (device: val(nvmlDevice_t), requestedProfiles: input(nvmlWorkloadPowerProfileRequestedProfiles_t));

    /// Changes which power profiles are asked for.
    fn nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1 since 13010 [absent forward call]
        (device: val(nvmlDevice_t), updateProfiles: input(nvmlWorkloadPowerProfileUpdateProfiles_v1_t));

    /// Chooses a profile of power smoothing.
    fn nvmlDevicePowerSmoothingActivatePresetProfile since 12080 [absent forward call]
        (device: val(nvmlDevice_t), profile: input(nvmlPowerSmoothingProfile_t));

    /// Changes a profile of power smoothing.
    fn nvmlDevicePowerSmoothingUpdatePresetProfileParam since 12080 [absent forward call]
        (device: val(nvmlDevice_t), profile: input(nvmlPowerSmoothingProfile_t));

    /// Whether power changes shall be smoothed.
    fn nvmlDevicePowerSmoothingSetState since 12080 [absent forward call]
        (device: val(nvmlDevice_t), state: input(nvmlPowerSmoothingState_t));

}}}}
