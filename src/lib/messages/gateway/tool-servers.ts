/** MCP servers whose tools callers may use. */
export const mcpMessages = {
  mcp_server_not_found: { en: "This MCP server does not exist.", zh: "该 MCP 服务器不存在。" },
  mcp_server_exists: { en: "There is already an MCP server named {name}.", zh: "名为 {name} 的 MCP 服务器已存在。" },
  mcp_servers_full: { en: "There can be at most {max} MCP servers.", zh: "最多可添加 {max} 个 MCP 服务器。" },
  mcp_unreadable: {
    en: "The stored definition of this server is invalid. Save it again.",
    zh: "该服务器的已存定义无效，请重新保存。",
  },
  mcp_tool_changed: {
    en: "The server describes the tool {tool} differently by now. Read it again before you approve it.",
    zh: "服务器对工具 {tool} 的描述已发生变化，请重新查看后再批准。",
  },
  mcp_http_status: { en: "The server responded with HTTP {status}.", zh: "服务器返回了 HTTP {status}。" },
  mcp_token_refused: { en: "The token endpoint refused: {why}", zh: "令牌端点拒绝了请求：{why}" },
  mcp_openapi_invalid: {
    en: "This is not an OpenAPI document of version 3.0 or 3.1, in JSON or YAML.",
    zh: "这不是 JSON 或 YAML 格式的 OpenAPI 3.0 或 3.1 文档。",
  },
  mcp_openapi_long: {
    en: "A YAML document can have at most {characters} characters. Longer ones must be JSON.",
    zh: "YAML 文档最多 {characters} 个字符，更长的文档须为 JSON。",
  },
  mcp_stdio_root_only: {
    en: "Only the super admin adds or changes MCP servers that are commands.",
    zh: "只有超级管理员可以添加或更改以命令启动的 MCP 服务器。",
  },
  mcp_stdio_not_allowed: {
    en: "The command {command} is not one of MCP_STDIO_COMMANDS, the environment variable that names what may be started.",
    zh: "命令 {command} 不在环境变量 MCP_STDIO_COMMANDS 允许启动的命令之列。",
  },
  mcp_stdio_full: {
    en: "{max} processes of MCP servers run and are in use, which is the most.",
    zh: "正在使用的 MCP 服务器进程已达上限（{max} 个）。",
  },
  mcp_stdio_resting: {
    en: "The server's process keeps ending. It is started again in {seconds} s.",
    zh: "该服务器的进程反复退出，将在 {seconds} 秒后重新启动。",
  },
  mcp_argument_missing: { en: "The argument {name} is missing.", zh: "缺少参数 {name}。" },
  mcp_argument_invalid: { en: "The argument {name} has a value that it cannot have.", zh: "参数 {name} 的值无效。" },
  mcp_other_origin: {
    en: "The server's credentials are not sent to {origin}.",
    zh: "不会将该服务器的凭据发送到 {origin}。",
  },
  gateway_mcp_sign_in_required: {
    en: "Sign in to the MCP server “{server}” with your account there, then call it again: {url}",
    zh: "请先使用您在 MCP 服务器「{server}」的账号登录，然后重试：{url}",
  },
  gateway_mcp_sign_in_refused: {
    en: "The MCP server “{server}” refuses your sign-in. Sign in again, then call it again: {url}",
    zh: "MCP 服务器「{server}」拒绝了您的登录凭据，请重新登录后重试：{url}",
  },
  gateway_mcp_sign_in_scope: {
    en: "The MCP server “{server}” requires more permissions for this. Sign in again, then call it again: {url}",
    zh: "MCP 服务器「{server}」要求更多权限，请重新登录后重试：{url}",
  },
  gateway_mcp_sign_in_not_renewed: {
    en: "Your sign-in at the MCP server “{server}” could not be renewed: {why} Try again later.",
    zh: "您在 MCP 服务器「{server}」的登录暂时无法续期：{why} 请稍后重试。",
  },
  mcp_sign_in_expired: {
    en: "The sign-in has expired.",
    zh: "登录已过期。",
  },
  mcp_sign_in_changed: {
    en: "The settings of this server have changed during the sign-in. Start again.",
    zh: "该服务器的设置在登录过程中发生了变化，请重新发起登录。",
  },
  mcp_sign_in_none: {
    en: "You are not signed in to this server.",
    zh: "您尚未登录该服务器。",
  },
  mcp_sign_in_browser: {
    en: "Signing in to a server takes a browser that is signed in to the console.",
    zh: "登录服务器须在已登录控制台的浏览器中进行。",
  },
  mcp_list_needs_sign_in: {
    en: "The server lists its tools only after a sign-in. Sign in on the page MCP sign-ins, then list its tools again.",
    zh: "该服务器仅在登录后列出工具。请在「MCP 登录」页面登录，然后重新列出工具。",
  },
  mcp_oauth_no_server: {
    en: "{host} has no metadata of an OAuth authorization server.",
    zh: "{host} 没有提供 OAuth 授权服务器的元数据。",
  },
  mcp_oauth_issuer: {
    en: "The authorization server calls itself “{issuer}” instead of “{expected}”.",
    zh: "授权服务器自称「{issuer}」，而不是「{expected}」。",
  },
  mcp_oauth_other_issuer: {
    en: "The server now names “{issuer}” as its authorization server instead of “{expected}”. An administrator must confirm that.",
    zh: "该服务器现在指定的授权服务器是「{issuer}」，而不是「{expected}」，须由管理员确认。",
  },
  mcp_oauth_resource: {
    en: "The server’s metadata is about another server: {resource}",
    zh: "该服务器的元数据属于另一个服务器：{resource}",
  },
  mcp_oauth_no_pkce: {
    en: "The authorization server {host} does not support PKCE with S256, without which codes can be stolen.",
    zh: "授权服务器 {host} 不支持 PKCE（S256），授权码可能被窃取。",
  },
  mcp_oauth_no_code: {
    en: "The authorization server {host} does not issue authorization codes.",
    zh: "授权服务器 {host} 不签发授权码。",
  },
  mcp_oauth_no_registration: {
    en: "The authorization server {host} does not let clients register. An administrator must enter a client ID.",
    zh: "授权服务器 {host} 不支持客户端注册，须由管理员填写客户端 ID。",
  },
  mcp_oauth_insecure: {
    en: "The address of {host} does not begin with https://.",
    zh: "{host} 的地址不以 https:// 开头。",
  },
  mcp_oauth_refused: {
    en: "{host} refused: {why}",
    zh: "{host} 拒绝了请求：{why}",
  },
  mcp_oauth_denied: {
    en: "Access was not allowed at {host}. Start again if that was not what you meant.",
    zh: "您在 {host} 未允许访问。如非本意，请重新登录。",
  },
  mcp_oauth_invalid: {
    en: "The response of {host} is not valid OAuth.",
    zh: "{host} 的响应不符合 OAuth 规范。",
  },
  gateway_mcp_unknown: {
    en: "There is no MCP server “{server}” that this API key may use.",
    zh: "该令牌没有可用的 MCP 服务器「{server}」。",
  },
  gateway_mcp_resting: {
    en: "The MCP server “{server}” keeps failing. Try again in {seconds} s.",
    zh: "MCP 服务器「{server}」持续出错，请在 {seconds} 秒后重试。",
  },
  gateway_mcp_status: {
    en: "The MCP server “{server}” responded with HTTP {status}.",
    zh: "MCP 服务器「{server}」返回了 HTTP {status}。",
  },
  gateway_mcp_timeout: {
    en: "The MCP server “{server}” did not respond within {seconds} s.",
    zh: "MCP 服务器「{server}」在 {seconds} 秒内没有响应。",
  },
  gateway_mcp_unanswered: {
    en: "The client did not answer the question of the MCP server “{server}” within {seconds} s.",
    zh: "客户端未在 {seconds} 秒内回答 MCP 服务器「{server}」的提问。",
  },
  gateway_mcp_failed: {
    en: "The call to the MCP server “{server}” failed: {why}",
    zh: "调用 MCP 服务器「{server}」失败：{why}",
  },
  gateway_mcp_result_tokens: {
    en: "The result of the MCP server “{server}” has about {tokens} tokens. At most {max} are allowed.",
    zh: "MCP 服务器「{server}」的结果约有 {tokens} 个 token，上限为 {max} 个。",
  },
  gateway_mcp_no_tool: {
    en: "There is no approved tool “{tool}”.",
    zh: "没有已批准的工具「{tool}」。",
  },
  gateway_mcp_too_many_tools: {
    en: "The MCP server “{label}” has {count} tools. Name at most {max} of them as allowed tools.",
    zh: "MCP 服务器「{label}」有 {count} 个工具，请在允许的工具中最多列出 {max} 个。",
  },
  gateway_mcp_site_stored: {
    en: "MCP servers of this site cannot be used together with “{field}”.",
    zh: "本站的 MCP 服务器不能与 “{field}” 一起使用。",
  },
  gateway_mcp_addresses_off: {
    en: "This site connects to no MCP servers by their address. Use “sluice://” and the name of one of its own instead of “{label}”.",
    zh: "本站不按地址连接 MCP 服务器。请改用 “sluice://” 加本站服务器的名称，而不是「{label}」。",
  },
} as const;
