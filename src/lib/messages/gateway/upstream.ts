/** Why no channel served a call, or why the upstream of one failed. */
export const upstreamMessages = {
  gateway_no_channel_now: {
    en: "No channel can serve the model “{model}” in the group “{group}” right now. Try again shortly.",
    zh: "分组「{group}」下暂时没有渠道可以提供模型「{model}」，请稍后重试。",
  },
  gateway_prompt_too_long: {
    en: "The prompt has about {tokens} tokens; the channels of the model “{model}” take {limit} at most.",
    zh: "提示词约有 {tokens} 个 token；模型「{model}」的渠道最多接受 {limit} 个。",
  },
  gateway_temporarily_unavailable: {
    en: "This model is temporarily unavailable. Try again later.",
    zh: "该模型暂时不可用，请稍后重试。",
  },
  gateway_no_channel: {
    en: "No channel is available for the model “{model}” in the group “{group}”.",
    zh: "分组「{group}」下没有可用于模型「{model}」的渠道。",
  },
  gateway_route_no_channel: {
    en: "No channel can serve a model of the route “{route}” right now. Try again shortly.",
    zh: "路由「{route}」的各个模型暂时都没有可用渠道，请稍后重试。",
  },
  gateway_route_conditions: {
    en: "No model of the route “{route}” accepts this request: its conditions on prompt length, content, tools, tags, group or time exclude it.",
    zh: "路由「{route}」中没有模型可以处理该请求：不满足提示词长度、内容、工具、标签、分组或时段条件。",
  },
  gateway_no_preferred_channel: {
    en: "No channel of the model “{model}” matches the request's “provider” preferences.",
    zh: "模型「{model}」没有符合请求 “provider” 偏好的渠道。",
  },
  gateway_openrouter_only: {
    en: "Only channels of OpenRouter follow “provider.{member}”, and the model “{model}” has none. Leave it out to use other channels.",
    zh: "“provider.{member}” 仅由 OpenRouter 类型的渠道处理，而模型「{model}」没有这类渠道。去掉该字段即可使用其他渠道。",
  },
  gateway_model_unknown: {
    en: "The model “{model}” does not exist, or this API key has no access to it.",
    zh: "模型「{model}」不存在，或该令牌无权使用。",
  },
  gateway_model_retired: {
    en: "The model “{model}” was retired on {date}.",
    zh: "模型「{model}」已于 {date} 下线。",
  },
  gateway_model_retired_for: {
    en: "The model “{model}” was retired on {date}; its successor is “{successor}”.",
    zh: "模型「{model}」已于 {date} 下线，后继模型为「{successor}」。",
  },
  gateway_no_price: {
    en: "The model “{model}” has no price. An administrator can set one, or you can allow models without a price in your personal settings.",
    zh: "模型「{model}」未设置价格。管理员可为其设置价格，你也可以在个人设置中允许使用未设置价格的模型。",
  },
  gateway_service_tier: {
    en: "The model “{model}” has no price for the service tier “{tier}”. Leave the tier out, or ask an administrator to set its price.",
    zh: "模型「{model}」没有服务等级「{tier}」的价格。请去掉该等级，或请管理员设置其价格。",
  },
  gateway_channel_unsuited: { en: "This channel does not support this type of request.", zh: "渠道不支持此类请求。" },
  gateway_channel_unknown: { en: "Channel {id} does not exist.", zh: "渠道 {id} 不存在。" },
  gateway_channel_off: { en: "Channel {id} is disabled.", zh: "渠道 {id} 已禁用。" },
  gateway_unreachable: { en: "Couldn't reach the upstream.", zh: "无法连接上游。" },
  gateway_timeout: { en: "The upstream did not respond in time.", zh: "上游响应超时。" },
  gateway_broken: { en: "The upstream's response was interrupted.", zh: "上游的响应中断。" },
  gateway_stalled: {
    en: "The upstream stopped sending before its response was complete.",
    zh: "上游在响应完成之前停止了发送。",
  },
  gateway_too_large: { en: "The upstream's response is too large.", zh: "上游的响应过大。" },
  gateway_busy: { en: "All connections to the upstream are in use.", zh: "到上游的连接已全部被占用。" },
  gateway_invalid: {
    en: "The upstream's response is not valid for this API.",
    zh: "上游返回的内容不是该接口的有效响应。",
  },
  gateway_empty: { en: "The upstream's response was empty.", zh: "上游的响应为空。" },
  gateway_filtered: {
    en: "The provider's content filter withheld the answer.",
    zh: "服务商的内容过滤拦截了回答。",
  },
  gateway_stream_idle: { en: "The upstream sent no data for {seconds} s.", zh: "上游已 {seconds} 秒没有发送数据。" },
  gateway_stream_broken: {
    en: "The upstream ended the stream before it was complete.",
    zh: "上游在流式响应完成前结束了连接。",
  },
  gateway_socket_broken: { en: "The upstream closed the connection.", zh: "上游断开了连接。" },
  gateway_response_failed: { en: "The response failed.", zh: "响应失败。" },
  gateway_saturated: {
    en: "The provider limits our rate. Try again later.",
    zh: "当前分组的上游负载已饱和，请稍后再试。",
  },
  gateway_hidden: { en: "Upstream error with status code {status}", zh: "上游错误，状态码 {status}" },
} as const;

/** Why an address did not answer. */
export const networkMessages = {
  why_timeout: { en: "{host} did not answer in time", zh: "{host} 响应超时" },
  why_unreachable: { en: "{host} could not be reached", zh: "无法连接 {host}" },
  why_closed_at_once: { en: "{host} closed the connection at once", zh: "{host} 立即断开了连接" },
  why_redirects: { en: "{host} redirects too often", zh: "{host} 重定向次数过多" },
  why_too_large: { en: "the answer is larger than {bytes} bytes", zh: "返回内容超过 {bytes} 字节" },
  why_unresolved: { en: "the host name {host} could not be resolved", zh: "无法解析域名 {host}" },
  why_no_host_address: { en: "the host name {host} has no address", zh: "域名 {host} 没有对应的地址" },
  why_private_address: {
    en: "{host} is on a private, loopback or link-local network; set {variable}=true to allow such addresses",
    zh: "{host} 位于内网、本机或链路本地网络；如需允许此类地址，请设置 {variable}=true",
  },
  why_bad_address: {
    en: "{what} must begin with http:// or https:// and name a host",
    zh: "{what}必须以 http:// 或 https:// 开头并包含主机名",
  },
  why_the_address: { en: "the address", zh: "该地址" },
  why_the_target: { en: "the redirect's target", zh: "重定向目标地址" },
  why_the_channels_address: { en: "the channel's address", zh: "渠道的接口地址" },
  why_the_proxy: { en: "the proxy address", zh: "代理地址" },
} as const;

/** What is wrong with a task: videos, drawings, music. */
export const taskMessages = {
  gateway_task_channel_off: { en: "The channel of this task is disabled.", zh: "该任务的渠道已禁用。" },
  gateway_image_unavailable: { en: "Couldn't fetch the image from its storage URL.", zh: "无法从存储地址获取图片。" },
  gateway_video_unknown: { en: "Video “{id}” not found.", zh: "视频 “{id}” 不存在。" },
  gateway_video_not_own: {
    en: "“video.id” must be the ID of one of your videos.",
    zh: "“video.id” 必须是你自己的视频的 ID。",
  },
  gateway_video_running: { en: "The video is still in progress.", zh: "视频仍在生成中。" },
  gateway_video_undeletable: {
    en: "The video is still in progress and can be deleted once it is finished.",
    zh: "视频仍在生成中，结束后才能删除。",
  },
  gateway_video_variant: { en: "This variant does not exist.", zh: "该变体不存在。" },
  gateway_video_images: { en: "At most {count} images are allowed.", zh: "最多 {count} 张图片。" },
  gateway_video_image: {
    en: "Send the image itself or its URL instead of a file ID.",
    zh: "请直接发送图片或其 URL，而不是文件 ID。",
  },
} as const;
