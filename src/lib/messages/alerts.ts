/** Alert destinations and what was sent to them. */
export const alertMessages = {
  alert_type_invalid: { en: "Unknown destination type.", zh: "未知的告警目标类型。" },
  alert_name_invalid: { en: "Enter a name of at most {max} characters.", zh: "请填写名称，最多 {max} 个字符。" },
  alert_field_required: { en: "{field} is required for this destination.", zh: "该告警目标需要填写 {field}。" },
  alert_field_invalid: {
    en: "{field} does not look right. Copy it again from the service.",
    zh: "{field} 格式不正确，请重新从对应服务复制。",
  },
  alert_secret_invalid: {
    en: "The signing secret must be whsec_ followed by 24 to 64 bytes in base64.",
    zh: "签名密钥须以 whsec_ 开头，后接 24 到 64 字节的 base64。",
  },
  alert_destinations_full: {
    en: "There can be at most {max} destinations. Delete one first.",
    zh: "告警目标最多 {max} 个，请先删除一个。",
  },
  alert_destination_not_found: { en: "This alert destination does not exist.", zh: "告警目标不存在。" },
  alert_destination_disabled: {
    en: "The destination was disabled before this alert was sent.",
    zh: "告警发送前，该目标已被停用。",
  },
  alert_quiet_hours_invalid: {
    en: "Quiet hours need two different times such as 22:00 and 07:00, and a time zone.",
    zh: "免打扰时段须填写两个不同的时间（如 22:00 与 07:00）以及时区。",
  },
  alert_digest_invalid: {
    en: "Digests can combine alerts of at most {max} minutes.",
    zh: "汇总间隔最多为 {max} 分钟。",
  },
  alert_spending_invalid: {
    en: "Choose a day, a week or a month, and whose spending it is.",
    zh: "请选择按日、周或月，以及统计谁的消费。",
  },
  alert_event_invalid: { en: "This event cannot be watched here.", zh: "此处不支持监控该事件。" },
  alert_threshold_invalid: {
    en: "The threshold must be from {min} to {max}.",
    zh: "阈值须在 {min} 到 {max} 之间。",
  },
  alert_window_invalid: {
    en: "The window must be a whole number of minutes from {min} to {max}.",
    zh: "统计窗口须为 {min} 到 {max} 之间的整数（分钟）。",
  },
  alert_rule_not_found: { en: "This alert rule does not exist.", zh: "告警规则不存在。" },
  alert_rules_full: {
    en: "There can be at most {max} rules. Delete one first.",
    zh: "告警规则最多 {max} 条，请先删除一条。",
  },
  alert_delivery_not_found: { en: "This delivery does not exist.", zh: "该发送记录不存在。" },
} as const;
