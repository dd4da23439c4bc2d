/**
 * Why calls fail, as the data plane tells its clients in English: the console finds its sentences in logs by these words
 * (`recognise`), so they are the very words of the relay.
 */
export const relayMessages = {
  relay_user_quota: {
    en: "Your quota does not cover this call: {needed} quota units are needed for it at most, {available} are available.",
    zh: "额度不足以支付本次调用：最多需要 {needed} 额度单位，可用 {available}。",
  },
  relay_key_quota: {
    en: "The quota of this API key does not cover this call: {needed} quota units are needed for it at most, {available} are available.",
    zh: "该 API 密钥的额度不足以支付本次调用：最多需要 {needed} 额度单位，可用 {available}。",
  },
  relay_no_ledger: {
    en: "The balance cannot be checked at the moment. Try again shortly.",
    zh: "暂时无法核对余额，请稍后重试。",
  },
  relay_no_budget: {
    en: "The budget of this API key cannot be renewed at the moment.",
    zh: "该 API 密钥的周期额度暂时无法更新。",
  },
  relay_no_channel_now: {
    en: "No channel can serve the model “{model}” in the group “{group}” at the moment.",
    zh: "分组「{group}」下暂时没有渠道可以提供模型「{model}」。",
  },
  relay_no_channel: {
    en: "There is no available channel for the model “{model}” in the group “{group}”.",
    zh: "分组「{group}」下没有可用于模型「{model}」的渠道。",
  },
  relay_model_unknown: {
    en: "The model “{model}” does not exist, or this API key has no access to it.",
    zh: "模型「{model}」不存在，或该 API 密钥无权使用。",
  },
  relay_channel_unsuited: {
    en: "The channel cannot serve this kind of request.",
    zh: "渠道不支持此类请求。",
  },
  relay_channel_unknown: { en: "There is no channel {id}.", zh: "渠道 {id} 不存在。" },
  relay_channel_off: { en: "The channel {id} is disabled.", zh: "渠道 {id} 已禁用。" },
  relay_unreachable: { en: "The request to the upstream address failed.", zh: "请求上游地址失败。" },
  relay_timeout: { en: "The upstream did not answer in time.", zh: "上游响应超时。" },
  relay_broken: { en: "The upstream's answer broke off.", zh: "上游的响应中途断开。" },
  relay_stalled: {
    en: "The upstream stopped sending before its answer was complete.",
    zh: "上游在响应完成之前停止了发送。",
  },
  relay_too_large: { en: "The upstream's answer is too large.", zh: "上游的响应过大。" },
  relay_busy: { en: "All connections to the upstream are in use.", zh: "到上游的连接已全部被占用。" },
  relay_invalid: {
    en: "The upstream's answer is not a response of this API.",
    zh: "上游返回的内容不是该接口的有效响应。",
  },
  relay_empty: { en: "The upstream's answer was empty.", zh: "上游的响应为空。" },
  relay_stream_idle: { en: "The upstream sent nothing for {seconds} s.", zh: "上游已 {seconds} 秒没有发送数据。" },
  relay_stream_broken: {
    en: "The upstream ended the stream before it was complete.",
    zh: "上游在流式响应完成前结束了连接。",
  },
  relay_talk_broken: { en: "The upstream broke the connection off.", zh: "上游断开了连接。" },
  relay_saturated: {
    en: "The upstream of this group is saturated. Try again later.",
    zh: "当前分组的上游负载已饱和，请稍后再试。",
  },
  relay_hidden: { en: "Upstream error with status code {status}", zh: "上游错误，状态码 {status}" },
  relay_client_left: { en: "The client closed its connection.", zh: "客户端断开了连接。" },
  relay_internal: { en: "Something went wrong inside the gateway.", zh: "网关内部错误。" },
  relay_restarting: { en: "The gateway is restarting. Connect again.", zh: "网关正在重启，请重新连接。" },
  relay_no_price: {
    en: "The model “{model}” has no price yet. The administrator can set one, or you can accept models without a price in your settings.",
    zh: "模型「{model}」尚未定价。管理员可为其设置价格，您也可以在个人设置中接受未定价的模型。",
  },
  relay_inexpressible: {
    en: "The upstream of this model cannot express: {names}.",
    zh: "该模型的上游无法表达以下参数：{names}。",
  },
  relay_media_status: {
    en: "The {part} could not be fetched: its address answered {status}.",
    zh: "无法获取 {part}：其地址返回 {status}。",
  },
  relay_media: { en: "The {part} could not be fetched: {reason}.", zh: "无法获取 {part}：{reason}。" },
  relay_field_missing: { en: "“{field}” is missing.", zh: "缺少“{field}”。" },
  relay_no_messages: {
    en: "“messages” must be a list with at least one message.",
    zh: "“messages” 必须是至少包含一条消息的列表。",
  },
  relay_sensitive: {
    en: "The prompt contains words that this site does not allow.",
    zh: "提示词包含本站不允许的内容。",
  },
  relay_group_closed: { en: "You may not use the group “{group}”.", zh: "您无权使用分组「{group}」。" },
  relay_not_signed_in: { en: "Sign in to the console first.", zh: "请先登录控制台。" },
  relay_requests_a_minute: {
    en: "You may make {count} requests a minute. Try again in {seconds} s.",
    zh: "每分钟最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  relay_requests_at_once: {
    en: "You may have {count} requests under way at the same time. Try again in {seconds} s.",
    zh: "最多可同时进行 {count} 个请求，请在 {seconds} 秒后重试。",
  },
  relay_requests_in_a_minute: {
    en: "You may make {count} requests in 1 minute. Try again in {seconds} s.",
    zh: "1 分钟内最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  relay_requests_in_minutes: {
    en: "You may make {count} requests in {minutes} minutes. Try again in {seconds} s.",
    zh: "{minutes} 分钟内最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  relay_key_requests: {
    en: "This API key may make {count} requests a minute. Try again in {seconds} s.",
    zh: "该 API 密钥每分钟最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  relay_key_tokens: {
    en: "This API key may use {count} tokens a minute. Try again in {seconds} s.",
    zh: "该 API 密钥每分钟最多使用 {count} 个 token，请在 {seconds} 秒后重试。",
  },
} as const;
