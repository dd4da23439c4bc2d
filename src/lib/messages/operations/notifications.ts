/** Notices and how users get them. */
export const notifyMessages = {
  notify_type_invalid: { en: "Unknown way of notification.", zh: "无效的通知方式。" },
  notify_threshold_invalid: { en: "The warning threshold must be greater than 0.", zh: "预警阈值必须大于 0。" },
  webhook_url_required: { en: "Enter the webhook address.", zh: "请输入 Webhook 地址。" },
  webhook_url_invalid: {
    en: "The address must be a valid https address.",
    zh: "地址必须是有效的 https 地址。",
  },
  notification_email_invalid: { en: "The notification email is not valid.", zh: "通知邮箱格式不正确。" },
  notify_field_required: {
    en: "Fill in the address and key of this way of notification.",
    zh: "请填写该通知方式的地址与密钥。",
  },
  notify_mobiles_invalid: {
    en: "Enter at most {max} phone numbers, of digits only.",
    zh: "手机号格式不正确，最多填写 {max} 个。",
  },
  notify_push_not_bound: { en: "Bind WxPusher first.", zh: "请先绑定 WxPusher。" },
  notify_failed: { en: "The message did not arrive: {reason}", zh: "消息发送失败：{reason}" },
  notify_no_email: {
    en: "There is no email address to send to: enter one here, or bind one to your account.",
    zh: "没有可用的邮箱，请在此填写或为账号绑定邮箱。",
  },
  notify_address_refused: {
    en: "Messages may not go to this address: it does not lead into the public internet.",
    zh: "不允许向该地址发送消息：它不是公网地址。",
  },
  notify_unreachable: {
    en: "The message did not arrive: the address cannot be reached.",
    zh: "消息发送失败：无法连接该地址。",
  },
  notify_timeout: {
    en: "The message did not arrive: the address does not answer in time.",
    zh: "消息发送失败：该地址响应超时。",
  },
  notify_redirected: {
    en: "The message did not arrive: the address redirects. Enter the one that it leads to.",
    zh: "消息发送失败：该地址会跳转，请填写跳转后的地址。",
  },
  notify_answer_too_large: {
    en: "The message did not arrive: the answer is too large.",
    zh: "消息发送失败：返回内容过大。",
  },
  notify_test_sent: { en: "Test message sent", zh: "测试消息已发送" },
  broadcast_text_required: { en: "Enter a title and a text.", zh: "请填写标题和内容。" },
  broadcast_too_long: {
    en: "The title can have {title} characters, the text {content}.",
    zh: "标题最多 {title} 个字符，内容最多 {content} 个字符。",
  },
  broadcast_under_way: { en: "Another notice is being sent.", zh: "上一条通知仍在发送中。" },
  announcement_level_invalid: { en: "This level is not known.", zh: "未知的公告级别。" },
  announcement_time_invalid: { en: "Choose when it is published.", zh: "请选择发布时间。" },
  announcement_not_found: { en: "This announcement does not exist.", zh: "公告不存在。" },
  announcement_notify_later: {
    en: "Notices go out at once: publish it now, or without notices.",
    zh: "通知会立即发送：请现在发布，或不发送通知。",
  },
  push_off: { en: "The administrator has not set up WxPusher.", zh: "管理员未配置 WxPusher。" },
  push_unreachable: { en: "WxPusher does not answer. Try again later.", zh: "无法连接 WxPusher，请稍后重试。" },
  push_expired: { en: "The QR code has expired. Get a new one.", zh: "二维码已过期，请重新获取。" },
} as const;
