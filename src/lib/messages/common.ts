/** What any room may have to say. */
export const commonMessages = {
  invalid_request: { en: "Invalid parameter: {detail}", zh: "参数无效：{detail}" },
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
} as const;
