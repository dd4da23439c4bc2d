/** What any room may have to say. */
export const commonMessages = {
  invalid_request: { en: "Invalid parameter: {detail}", zh: "参数无效：{detail}" },
  field_required: { en: "{field} is required.", zh: "缺少 {field}。" },
  field_text: { en: "{field} must be text.", zh: "{field} 必须是文本。" },
  field_length: { en: "{field} must have {min} to {max} characters.", zh: "{field} 长度须为 {min} 到 {max} 个字符。" },
  field_integer: { en: "{field} must be a whole number.", zh: "{field} 必须是整数。" },
  field_integer_range: {
    en: "{field} must be a whole number from {min} to {max}.",
    zh: "{field} 必须是 {min} 到 {max} 之间的整数。",
  },
  field_number: { en: "{field} must be a number.", zh: "{field} 必须是数字。" },
  field_number_range: {
    en: "{field} must be a number from {min} to {max}.",
    zh: "{field} 必须是 {min} 到 {max} 之间的数字。",
  },
  field_bool: { en: "{field} must be true or false.", zh: "{field} 必须为 true 或 false。" },
  field_choice: { en: "{field} must be one of: {choices}.", zh: "{field} 只能是以下之一：{choices}。" },
  field_list: { en: "{field} must be a list.", zh: "{field} 必须是列表。" },
  field_list_length: { en: "{field} can have at most {max} entries.", zh: "{field} 最多 {max} 项。" },
  field_object: { en: "{field} must be an object.", zh: "{field} 必须是对象。" },
  field_malformed: { en: "{field} is not in the required format.", zh: "{field} 格式不正确。" },
  text_unstorable: {
    en: "A text holds a character that cannot be stored (U+0000).",
    zh: "文本中含有无法保存的字符（U+0000）。",
  },
  request_too_large: {
    en: "The request is larger than {megabytes} MB.",
    zh: "请求内容超过 {megabytes} MB。",
  },
  malformed_body: { en: "The request body is not valid JSON.", zh: "请求内容不是有效的 JSON。" },
  unknown_route: { en: "Invalid URL ({method} {path})", zh: "接口不存在（{method} {path}）" },
  internal_error: {
    en: "Something went wrong on the server. Request id: {requestId}",
    zh: "服务器内部错误，请求编号：{requestId}",
  },
  database_unavailable: {
    en: "The database does not answer. Try again in a moment.",
    zh: "数据库暂时不可用，请稍后重试。",
  },
  too_many_requests: {
    en: "Too many requests. Try again in {seconds} seconds.",
    zh: "请求过于频繁，请在 {seconds} 秒后重试。",
  },
  cross_site_refused: {
    en: "This request came from another site and was refused.",
    zh: "请求来自其他站点，已拒绝。",
  },
  status_page_off: { en: "This site does not show how its models do.", zh: "本站未开放服务状态页。" },
  a_parameter: { en: "a parameter", zh: "参数" },
} as const;
