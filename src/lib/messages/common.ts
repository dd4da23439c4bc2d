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
  field_list_empty: { en: "{field} must have at least one entry.", zh: "{field} 至少须有一项。" },
  field_list_length: { en: "{field} can have at most {max} entries.", zh: "{field} 最多 {max} 项。" },
  field_object: { en: "{field} must be an object.", zh: "{field} 必须是对象。" },
  field_malformed: { en: "{field} is not in the required format.", zh: "{field} 格式不正确。" },
  name_pattern_invalid: {
    en: "The pattern {pattern} is no regular expression in RE2’s syntax, without commas.",
    zh: "模式 {pattern} 不是有效的 RE2 正则表达式（不能含逗号）。",
  },
  text_unstorable: {
    en: "A text holds a character that cannot be stored (U+0000).",
    zh: "文本中含有无法保存的字符（U+0000）。",
  },
  request_too_large: {
    en: "The request is larger than {megabytes} MB.",
    zh: "请求内容超过 {megabytes} MB。",
  },
  body_too_deep: {
    en: "The request body is nested deeper than {most} levels.",
    zh: "请求内容的嵌套超过 {most} 层。",
  },
  malformed_body: { en: "The request body is not valid JSON.", zh: "请求内容不是有效的 JSON。" },
  malformed_path: {
    en: "The path writes plain characters as codes. Write letters, digits and - . _ ~ as they are.",
    zh: "路径对普通字符做了编码。请直接书写字母、数字和 - . _ ~。",
  },
  unknown_route: { en: "Invalid URL ({method} {path})", zh: "接口不存在（{method} {path}）" },
  internal_error: {
    en: "Something went wrong on the server. Request id: {requestId}",
    zh: "服务器内部错误，请求编号：{requestId}",
  },
  error_with_request_id: { en: "{text} (request id: {requestId})", zh: "{text}（请求编号：{requestId}）" },
  database_unavailable: {
    en: "The database does not answer. Try again in a moment.",
    zh: "数据库暂时不可用，请稍后重试。",
  },
  log_database_unavailable: {
    en: "The database of the usage log does not answer: logs and charts are missing until it is back. Balances and calls are not affected.",
    zh: "用量日志数据库暂时不可用，恢复之前无法查看日志和图表。余额和调用不受影响。",
  },
  too_many_requests: {
    en: "Too many requests. Try again in {seconds} seconds.",
    zh: "请求过于频繁，请在 {seconds} 秒后重试。",
  },
  cross_site_refused: {
    en: "This request came from another site and was refused: the page is at “{origin}” (Origin), this site at “{host}” (Host).",
    zh: "请求来自其他站点，已拒绝：页面来源为“{origin}”（Origin），本站为“{host}”（Host）。",
  },
  cross_site_port_dropped: {
    en: "The page is at “{origin}” (Origin), but the request names “{host}” (Host): a proxy dropped the port from the Host header. Let it pass the header on as it came (nginx: proxy_set_header Host $http_host).",
    zh: "页面来源为“{origin}”（Origin），请求中却是“{host}”（Host）：代理去掉了 Host 头中的端口。请让代理原样转发该头（nginx：proxy_set_header Host $http_host）。",
  },
  cross_site_host_dropped: {
    en: "The page is at “{origin}” (Origin), but the request names “{host}” (Host). If that page is this site, a proxy replaced the Host header: let it pass the header on as it came (nginx: proxy_set_header Host $http_host), or list the proxy in TRUSTED_PROXIES and let it send X-Forwarded-Host.",
    zh: "页面来源为“{origin}”（Origin），请求中却是“{host}”（Host）。如果该页面就是本站，说明代理替换了 Host 头：请让代理原样转发该头（nginx：proxy_set_header Host $http_host），或将代理加入 TRUSTED_PROXIES 并发送 X-Forwarded-Host。",
  },
  cross_site_proxy_untrusted: {
    en: "The page is at “{origin}” (Origin), but the request names “{host}” (Host). A proxy at {peer} sends the right name as X-Forwarded-Host, which does not count because TRUSTED_PROXIES does not list it. Add its address there, or let it pass the Host header on.",
    zh: "页面来源为“{origin}”（Origin），请求中却是“{host}”（Host）。位于 {peer} 的代理在 X-Forwarded-Host 中给出了正确的名称，但 TRUSTED_PROXIES 未列出该代理，因此无效。请将其地址加入其中，或让代理转发 Host 头。",
  },
  server_address_missing: {
    en: "The site's public address is not set, and this needs it. An administrator enters it under Settings → System → Server → Server address.",
    zh: "尚未设置站点的公开地址，无法执行此操作。请管理员在“设置 → 系统 → 服务器 → 服务器地址”中填写。",
  },
  status_page_off: { en: "The status page is off.", zh: "本站未开放服务状态页。" },
  a_parameter: { en: "a parameter", zh: "参数" },
} as const;

/** Why something is as it is: parts of other messages, and what is kept of channels and tasks. */
export const reasonMessages = {
  why_disabled_by: { en: "Disabled by {name}", zh: "由 {name} 手动禁用" },
  why_tag_disabled_by: { en: "Tag {tag} disabled by {name}", zh: "标签 {tag} 由 {name} 手动禁用" },
  why_test_slow: {
    en: "The test took {seconds} s; the limit is {limit} s",
    zh: "测试用时 {seconds} 秒，超过上限 {limit} 秒",
  },
  why_not_authentic: {
    en: "Scored {score} of 100 twice in checks of the model {model}",
    zh: "模型 {model} 的检查连续两次只得 {score} 分（满分 100）",
  },
  why_balance_used_up: { en: "The balance is used up", zh: "余额已用尽" },
  why_no_account: { en: "no account available", zh: "没有可用账号" },
  why_no_json: { en: "the response is not JSON", zh: "返回内容不是 JSON" },
  why_no_list: { en: "the response contains no model list", zh: "返回内容中没有模型列表" },
  why_no_list_offered: { en: "this channel type provides no model list", zh: "该类型不提供模型列表" },
  why_no_amounts: { en: "the response contains no amounts", zh: "返回内容中没有金额" },
  why_no_balance_reported: { en: "the upstream does not report a balance", zh: "上游不提供余额" },
  why_no_valid_address: { en: "the channel has no valid base URL", zh: "渠道的接口地址无效" },
  why_no_document: { en: "the response is not a JSON document", zh: "返回内容不是 JSON 文档" },
  why_no_endpoints: { en: "the document contains no endpoints", zh: "文档中没有端点地址" },
  why_late: { en: "no response within {seconds} s", zh: "{seconds} 秒内没有响应" },
  why_unknown: { en: "unknown reason", zh: "原因未知" },
  why_refused: { en: "rejected", zh: "被对方拒绝" },
  why_task_not_taken: { en: "the upstream did not accept the task", zh: "上游未受理该任务" },
  why_task_timeout: { en: "timeout", zh: "超时" },
  why_task_failed: { en: "failed", zh: "上游报告任务失败，未说明原因" },
  why_task_cancelled: { en: "cancelled", zh: "任务已取消" },
} as const;
