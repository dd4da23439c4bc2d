export const logMessages = {
  log_target_time_required: { en: "Choose a time up to which to delete.", zh: "请选择要清理到的时间。" },
  log_target_time_future: {
    en: "The time up to which to delete lies in the future (it is given in seconds).",
    zh: "清理时间不能晚于当前时间（单位为秒）。",
  },
  log_cursor_invalid: { en: "The place to continue from is not valid.", zh: "翻页位置无效。" },
  data_span_too_long: { en: "The time span must not exceed one month.", zh: "时间跨度不能超过一个月。" },
} as const;
