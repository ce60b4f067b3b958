#[macro_export]
macro_rules! nvml_unit_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlUnitGetCount since 11070 [todo forward call]
        (unitCount: out(u32));

    fn nvmlUnitGetHandleByIndex since 11070 [todo forward call]
        (index: val(u32), unit: out(nvmlUnit_t));

    fn nvmlUnitGetUnitInfo since 11070 [todo forward call]
        (unit: val(nvmlUnit_t), info: out(nvmlUnitInfo_t));

    fn nvmlUnitGetLedState since 11070 [todo forward call]
        (unit: val(nvmlUnit_t), state: out(nvmlLedState_t));

    fn nvmlUnitGetPsuInfo since 11070 [todo forward call]
        (unit: val(nvmlUnit_t), psu: out(nvmlPSUInfo_t));

    fn nvmlUnitGetTemperature since 11070 [todo forward call]
        (unit: val(nvmlUnit_t), type_: val(u32), temp: out(u32));

    fn nvmlUnitGetFanSpeedInfo since 11070 [todo forward call]
        (unit: val(nvmlUnit_t), fanSpeeds: out(nvmlUnitFanSpeeds_t));

    fn nvmlUnitGetDevices since 11070 [todo forward call]
        (unit: val(nvmlUnit_t), deviceCount: inout(u32), devices: array_out(nvmlDevice_t, deviceCount));

    fn nvmlUnitSetLedState since 11070 [todo forward call]
        (unit: val(nvmlUnit_t), color: val(nvmlLedColor_t));

}}}}
