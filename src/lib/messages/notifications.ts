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
