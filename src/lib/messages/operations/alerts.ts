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

/** Notices and how users get them. */
export const notifyMessages = {
  notify_type_invalid: { en: "Unknown notification method.", zh: "无效的通知方式。" },
  notify_threshold_invalid: { en: "The threshold must be greater than 0.", zh: "预警阈值必须大于 0。" },
  webhook_url_required: { en: "Enter a webhook URL.", zh: "请输入 Webhook 地址。" },
  webhook_url_invalid: { en: "The URL must be a valid https URL.", zh: "地址必须是有效的 https 地址。" },
  notification_email_invalid: { en: "The notification email is invalid.", zh: "通知邮箱格式不正确。" },
  notify_field_required: {
    en: "Fill in all fields of this notification method.",
    zh: "请填写该通知方式的全部必填项。",
  },
  notify_mobiles_invalid: {
    en: "Enter at most {max} phone numbers, digits only.",
    zh: "手机号格式不正确，最多填写 {max} 个。",
  },
  notify_push_not_bound: { en: "Link WxPusher first.", zh: "请先绑定 WxPusher。" },
  notify_failed: { en: "Couldn't send the message: {reason}", zh: "消息发送失败：{reason}" },
  notify_no_email: {
    en: "No email address is set. Enter one here or link one to your account.",
    zh: "没有可用的邮箱，请在此填写或为账号绑定邮箱。",
  },
  notify_address_refused: {
    en: "Couldn't send the message: the address is not on the public internet.",
    zh: "不允许向该地址发送消息：它不是公网地址。",
  },
  notify_unreachable: {
    en: "Couldn't send the message: the address cannot be reached.",
    zh: "消息发送失败：无法连接该地址。",
  },
  notify_timeout: {
    en: "Couldn't send the message: the address did not respond in time.",
    zh: "消息发送失败：该地址响应超时。",
  },
  notify_redirected: {
    en: "Couldn't send the message: the address redirects. Enter the final address.",
    zh: "消息发送失败：该地址会重定向，请填写最终地址。",
  },
  notify_answer_too_large: {
    en: "Couldn't send the message: the response is too large.",
    zh: "消息发送失败：返回内容过大。",
  },
  notify_test_sent: { en: "Test message sent", zh: "测试消息已发送" },
  broadcast_text_required: { en: "Enter a title and content.", zh: "请填写标题和内容。" },
  broadcast_too_long: {
    en: "The title cannot exceed {title} characters, the content {content}.",
    zh: "标题最多 {title} 个字符，内容最多 {content} 个字符。",
  },
  broadcast_under_way: {
    en: "Another notification is still being sent. Try again later.",
    zh: "上一条通知仍在发送中，请稍后重试。",
  },
  broadcast_not_found: { en: "This notification does not exist.", zh: "通知不存在。" },
  broadcast_delivery_not_found: {
    en: "This notification was not sent to this user.",
    zh: "该通知未发送给此用户。",
  },
  broadcast_delivered: { en: "This user has already received it.", zh: "该用户已收到此通知。" },
  broadcast_resend_under_way: { en: "It is being sent right now.", zh: "该通知正在发送中。" },
  broadcast_unsubscribed: {
    en: "This user no longer subscribes to these notifications, or the account is disabled.",
    zh: "该用户已不再订阅此类通知，或账号已被禁用。",
  },
  broadcast_resent: { en: "Notification sent", zh: "通知已发送" },
  announcement_level_invalid: { en: "Unknown announcement level.", zh: "未知的公告级别。" },
  announcement_time_invalid: { en: "Choose a publication time.", zh: "请选择发布时间。" },
  announcement_not_found: { en: "This announcement does not exist.", zh: "公告不存在。" },
  announcement_notify_later: {
    en: "Notifications are sent immediately. Publish the announcement now, or turn off notifications.",
    zh: "通知会立即发送：请立即发布，或不发送通知。",
  },
  push_off: { en: "WxPusher is not set up on this site.", zh: "本站未配置 WxPusher。" },
  push_unreachable: { en: "WxPusher does not respond. Try again later.", zh: "无法连接 WxPusher，请稍后重试。" },
  push_expired: { en: "The QR code has expired. Get a new one.", zh: "二维码已过期，请重新获取。" },
} as const;
