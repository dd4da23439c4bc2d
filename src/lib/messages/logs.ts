export const logMessages = {
  log_target_time_required: { en: "Choose a time up to which to delete.", zh: "请选择要清理到的时间。" },
  log_cursor_invalid: { en: "The place to continue from is not valid.", zh: "翻页位置无效。" },
} as const;
