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
