/** The log, its archive and its exports. */
export const logMessages = {
  log_target_time_required: { en: "Choose a time up to which to delete.", zh: "请选择要清理到的时间。" },
  log_target_time_future: {
    en: "The time up to which to delete lies in the future (it is given in seconds).",
    zh: "清理时间不能晚于当前时间（单位为秒）。",
  },
  log_cursor_invalid: { en: "The place to continue from is not valid.", zh: "翻页位置无效。" },
  archive_s3_incomplete: {
    en: "The S3 storage for archives needs an address, a bucket, an access key ID and a secret access key.",
    zh: "归档用的 S3 存储须填写地址、存储桶、访问密钥 ID 和访问密钥。",
  },
  archive_month_invalid: { en: "The month must look like 2026-01.", zh: "月份格式应为 2026-01。" },
  archive_place_failed: {
    en: "The place of archives could not be written and read: {reason}",
    zh: "归档位置无法写入或读取：{reason}",
  },
  archive_place_works: {
    en: "A file was written, read and deleted again.",
    zh: "已成功写入、读取并删除一个测试文件。",
  },
  archive_off: { en: "Archiving is off.", zh: "未启用归档。" },
  archive_file_damaged: {
    en: "The archive file {name} is missing or damaged, so its rows stay in the log.",
    zh: "归档文件 {name} 缺失或已损坏，对应的日志行保留在日志中。",
  },
  data_span_too_long: { en: "The time span must not exceed one month.", zh: "时间跨度不能超过一个月。" },
  agent_session_not_found: { en: "There is no such session, or it is too old.", zh: "会话不存在或已过期。" },
  sink_not_found: { en: "This export destination does not exist.", zh: "导出目标不存在。" },
  sink_refused: { en: "The destination did not accept the test: {reason}", zh: "导出目标未接受测试记录：{reason}" },
  sink_tested: { en: "The destination accepted a test record.", zh: "导出目标已接受测试记录。" },
  sink_config_unreadable: {
    en: "Its configuration is encrypted under another key. Enter it again.",
    zh: "该配置由其他密钥加密，请重新填写。",
  },
} as const;
