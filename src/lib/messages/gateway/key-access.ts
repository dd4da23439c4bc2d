/** Why a call is not let in: its API key, its owner, its group, the site's switches. */
export const accessMessages = {
  gateway_channel_id_invalid: {
    en: "The channel ID appended to the API key is invalid.",
    zh: "令牌后附带的渠道 ID 无效。",
  },
  gateway_no_key: {
    en: "No API key was sent. Send it as “Authorization: Bearer sk-…”.",
    zh: "请求中没有令牌。请以 “Authorization: Bearer sk-…” 的形式发送。",
  },
  gateway_no_key_sent: { en: "No API key was sent.", zh: "请求中没有令牌。" },
  gateway_key_invalid: { en: "This API key is invalid.", zh: "该令牌无效。" },
  gateway_key_unchecked: {
    en: "The API key cannot be verified right now. Try again shortly.",
    zh: "暂时无法验证该令牌，请稍后重试。",
  },
  gateway_key_used_up: { en: "The quota of API key {key} is exhausted.", zh: "令牌 {key} 的额度已用完。" },
  gateway_access_token_invalid: {
    en: "This access token does not exist, has expired, or its access has ended. Refresh it, or sign in again.",
    zh: "此访问令牌不存在、已过期或已被撤销。请刷新令牌或重新登录。",
  },
  gateway_access_token_audience: {
    en: "This access token was issued for another MCP address.",
    zh: "此访问令牌是为另一个 MCP 地址签发的。",
  },
  gateway_access_token_elsewhere: {
    en: "Access tokens of applications are valid for MCP servers at /mcp only. Use an API key here.",
    zh: "应用的访问令牌仅可用于 /mcp 的 MCP 服务器，此处请使用 API 密钥。",
  },
  gateway_key_expired: { en: "This API key has expired.", zh: "该令牌已过期。" },
  gateway_key_disabled: { en: "This API key is disabled.", zh: "该令牌已禁用。" },
  gateway_key_ip: { en: "This API key cannot be used from IP address {ip}.", zh: "该令牌不允许从 IP 地址 {ip} 使用。" },
  gateway_key_no_models: { en: "This API key has no access to any model.", zh: "该令牌没有任何模型的权限。" },
  gateway_key_not_model: {
    en: "This API key has no access to the model “{model}”.",
    zh: "该令牌无权使用模型「{model}」。",
  },
  gateway_key_group_closed: {
    en: "The owner of this API key has no access to its group “{group}”.",
    zh: "该令牌的所有者无权使用其分组「{group}」。",
  },
  gateway_key_group_removed: {
    en: "The group “{group}” of this API key no longer exists.",
    zh: "该令牌的分组「{group}」已不存在。",
  },
  gateway_owner_removed: { en: "The owner of this API key no longer exists.", zh: "该令牌的所有者已不存在。" },
  gateway_owner_banned: { en: "The owner of this API key is banned.", zh: "该令牌的所有者已被封禁。" },
  gateway_pin_admins_only: {
    en: "Only administrators can append a channel ID to the API key.",
    zh: "只有管理员可以在令牌后指定渠道。",
  },
  gateway_group_closed: { en: "You have no access to the group “{group}”.", zh: "你无权使用分组「{group}」。" },
  gateway_not_signed_in: { en: "Sign in to the console first.", zh: "请先登录控制台。" },
  gateway_playground_session: {
    en: "The playground requires a console session, not an access token.",
    zh: "操练场只接受控制台会话，不接受访问令牌。",
  },
  gateway_tasks_off: { en: "Tasks of this kind are turned off on this site.", zh: "本站未开放此类任务。" },
  gateway_openai_off: { en: "The OpenAI endpoints are turned off on this site.", zh: "本站未开放 OpenAI 接口。" },
  gateway_anthropic_off: {
    en: "The Anthropic endpoint is turned off on this site.",
    zh: "本站未开放 Anthropic 接口。",
  },
  gateway_no_extensions: {
    en: "Requests from browser extensions are blocked on this site.",
    zh: "本站不允许来自浏览器扩展的请求。",
  },
  gateway_guardrail: {
    en: "The guardrail “{name}” blocks this request.",
    zh: "护栏「{name}」拦截了该请求。",
  },
  gateway_guardrail_answer: {
    en: "The guardrail “{name}” blocks this answer.",
    zh: "护栏「{name}」拦截了该回答。",
  },
  gateway_guardrail_unsupported: {
    en: "The guardrail “{name}” cannot change this kind of request, so it blocks it.",
    zh: "护栏「{name}」无法修改此类请求，因此予以拦截。",
  },
  gateway_guardrail_failed: {
    en: "The service of the guardrail “{name}” does not respond, and no call passes without it. Try again later.",
    zh: "护栏「{name}」的服务无响应，且未经其检查的请求不予放行，请稍后重试。",
  },
  gateway_guardrail_route: {
    en: "The guardrail “{name}” sends this request to another model, which no channel available to you serves.",
    zh: "护栏「{name}」将该请求转至另一模型，而你可用的渠道均不提供该模型。",
  },
  gateway_sensitive: {
    en: "The prompt contains words that this site does not allow.",
    zh: "提示词包含本站不允许的内容。",
  },
} as const;

/**
 * Why a call is refused for now: quota, rate limits, and what the gateway itself cannot do at the moment. Qwen Code gives up a call
 * at once if the message says in English that a quota or budget is exceeded or exhausted, and when it "will reset".
 */
export const limitMessages = {
  gateway_quota_units: { en: "{count} quota units", zh: "{count} 额度单位" },
  gateway_quota_renews: {
    en: "{reason} The quota will reset at {renews} UTC.",
    zh: "{reason}额度将于 {renews} UTC 重置。",
  },
  gateway_quota_stays: {
    en: "{reason} The quota will reset only when credit is added or the limit is raised.",
    zh: "{reason}充值或提高额度后方可继续使用。",
  },
  gateway_user_quota: {
    en: "Quota exceeded: this request needs up to {needed}, {available} are available.",
    zh: "额度不足：本次请求最多需要 {needed}，可用 {available}。",
  },
  gateway_key_quota: {
    en: "API key quota exceeded: this request needs up to {needed}, {available} are available.",
    zh: "令牌额度不足：本次请求最多需要 {needed}，可用 {available}。",
  },
  gateway_budget_key: {
    en: "Budget of this API key exceeded: this request needs up to {needed}, {available} are left in this period.",
    zh: "该令牌的预算不足：本次请求最多需要 {needed}，本周期剩余 {available}。",
  },
  gateway_budget_member: {
    en: "Your budget in the organization is exceeded: this request needs up to {needed}, {available} are left in this period.",
    zh: "你在组织中的预算不足：本次请求最多需要 {needed}，本周期剩余 {available}。",
  },
  gateway_budget_project: {
    en: "Budget of the project {project} exceeded: this request needs up to {needed}, {available} are left in this period.",
    zh: "项目「{project}」的预算不足：本次请求最多需要 {needed}，本周期剩余 {available}。",
  },
  gateway_budget_organization: {
    en: "Budget of the organization exceeded: this request needs up to {needed}, {available} are left in this period.",
    zh: "组织预算不足：本次请求最多需要 {needed}，本周期剩余 {available}。",
  },
  gateway_budget_plan: {
    en: "Quota of the plan exceeded: this request needs up to {needed}, {available} are left until the plan is filled up again. The plan does not allow calls at the expense of the balance.",
    zh: "套餐额度不足：本次请求最多需要 {needed}，本次重置前剩余 {available}。该套餐不允许超出后使用余额。",
  },
  gateway_no_organization_budget: {
    en: "A budget of the organization cannot be reset right now. Try again shortly.",
    zh: "组织预算暂时无法重置，请稍后重试。",
  },
  gateway_no_ledger: {
    en: "The balance cannot be checked right now. Try again shortly.",
    zh: "暂时无法核对余额，请稍后重试。",
  },
  gateway_no_budget: {
    en: "The periodic quota of this API key cannot be reset right now. Try again shortly.",
    zh: "该令牌的周期额度暂时无法重置，请稍后重试。",
  },
  gateway_requests_a_minute: {
    en: "Rate limit of {count} requests per minute reached. Try again in {seconds} s.",
    zh: "每分钟最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_requests_at_once: {
    en: "Limit of {count} concurrent requests reached. Try again in {seconds} s.",
    zh: "最多 {count} 个并发请求，请在 {seconds} 秒后重试。",
  },
  gateway_requests_in_a_minute: {
    en: "Rate limit of {count} requests in 1 minute reached. Try again in {seconds} s.",
    zh: "1 分钟内最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_requests_in_minutes: {
    en: "Rate limit of {count} requests in {minutes} minutes reached. Try again in {seconds} s.",
    zh: "{minutes} 分钟内最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_plan_calls: {
    en: "Quota of the plan {plan} exceeded: the {calls} calls that it includes are used up. It will reset at {renews} UTC, in {minutes} min.",
    zh: "套餐「{plan}」包含的 {calls} 次调用已用完，将于 {renews} UTC（{minutes} 分钟后）恢复。",
  },
  gateway_plan_model: {
    en: "The plan {plan} does not include the model {model}, and allows no calls at the expense of the balance. Use a model of the plan.",
    zh: "套餐「{plan}」不包含模型 {model}，且不允许使用余额。请改用套餐内的模型。",
  },
  gateway_plan_requests: {
    en: "The plan {plan} allows {count} requests per minute. Try again in {seconds} s.",
    zh: "套餐「{plan}」每分钟最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_limit_rule: {
    en: "The limit “{name}” is reached. Retry in {seconds} s.",
    zh: "已达到限制“{name}”，请在 {seconds} 秒后重试。",
  },
  gateway_plan_tokens: {
    en: "The plan {plan} allows {count} tokens per minute. Try again in {seconds} s.",
    zh: "套餐「{plan}」每分钟最多使用 {count} 个 token，请在 {seconds} 秒后重试。",
  },
  gateway_key_requests: {
    en: "This API key's rate limit of {count} requests per minute is reached. Try again in {seconds} s.",
    zh: "该令牌每分钟最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_key_tokens: {
    en: "This API key's rate limit of {count} tokens per minute is reached. Try again in {seconds} s.",
    zh: "该令牌每分钟最多使用 {count} 个 token，请在 {seconds} 秒后重试。",
  },
  gateway_internal: { en: "Internal gateway error.", zh: "网关内部错误。" },
  gateway_bodies_full: {
    en: "Large requests take all the memory that they may. Try again in {seconds} s.",
    zh: "大型请求占用的内存已达上限，请在 {seconds} 秒后重试。",
  },
  gateway_overloaded: {
    en: "The gateway is overloaded, and more of your requests wait than it serves in time. Try again in {seconds} s.",
    zh: "网关负载过高，你排队的请求无法及时处理，请在 {seconds} 秒后重试。",
  },
  gateway_restarting: {
    en: "The gateway is restarting. Send the request again.",
    zh: "网关正在重启，请重新发送请求。",
  },
  gateway_restarting_socket: { en: "The gateway is restarting. Connect again.", zh: "网关正在重启，请重新连接。" },
  gateway_client_left: { en: "The client closed the connection.", zh: "客户端断开了连接。" },
} as const;
