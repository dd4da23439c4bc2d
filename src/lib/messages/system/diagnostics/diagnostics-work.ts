/** What the doctor finds about the work that the gateway does: channels, jobs, prices and speed; and the fix for each. */
export const doctorWorkMessages = {
  doctor_channels_none: { en: "No channels are enabled.", zh: "没有已启用的渠道。" },
  doctor_fix_channels_none: { en: "Add or enable a channel under Channels.", zh: "请在渠道页面添加或启用渠道。" },
  doctor_channels_fine: {
    en: "All {count} enabled channels can serve requests.",
    zh: "{count} 个已启用渠道均可处理请求。",
  },
  doctor_channels_idle: {
    en: "{count} enabled channels have no model or no group and receive no requests: {names}",
    zh: "{count} 个已启用渠道没有模型或分组，不会收到请求：{names}",
  },
  doctor_fix_channels_idle: {
    en: "Add models and a group to them, or disable them.",
    zh: "请为其设置模型和分组，或将其禁用。",
  },
  doctor_channels_groups: {
    en: "{count} enabled channels are only in groups without a ratio: {names}",
    zh: "{count} 个已启用渠道所在分组没有倍率：{names}",
  },
  doctor_fix_channels_groups: {
    en: "Add the groups to the group ratios, or correct the channels' groups.",
    zh: "请在分组倍率中添加这些分组，或更正渠道的分组。",
  },
  doctor_channels_retired: {
    en: "{count} enabled channels offer models that their services have turned off: {names}",
    zh: "{count} 个已启用渠道仍提供上游已下线的模型：{names}",
  },
  doctor_fix_channels_retired: {
    en: "Remove the models from the channels, or map them to their successors.",
    zh: "请从渠道中移除这些模型，或将其映射到后继模型。",
  },
  doctor_channels_references: {
    en: "{count} enabled channels have a key that can't be read from its secret manager: {names}. {reference}: {reason}",
    zh: "{count} 个已启用渠道的密钥无法从密钥管理服务读取：{names}。{reference}：{reason}",
  },
  doctor_fix_channels_references: {
    en: "Check the reference, and how Sluice signs in to the secret manager.",
    zh: "请检查引用，以及 Sluice 登录密钥管理服务的方式。",
  },
  doctor_channels_keys: {
    en: "{count} enabled channels have no enabled key: {names}",
    zh: "{count} 个已启用渠道没有已启用的密钥：{names}",
  },
  doctor_fix_channels_keys: { en: "Enable or replace their keys.", zh: "请启用或更换其密钥。" },

  doctor_jobs_none: { en: "No job has run yet.", zh: "尚无后台任务运行过。" },
  doctor_jobs_fine: {
    en: "The last runs of all {count} jobs succeeded.",
    zh: "全部 {count} 个后台任务最近一次均运行成功。",
  },
  doctor_jobs_failed: {
    en: "The last run of “{job}” failed: {reason}",
    zh: "后台任务“{job}”最近一次运行失败：{reason}",
  },
  doctor_fix_jobs: {
    en: "It runs again on its schedule. Resolve the cause, then run it on the Jobs page.",
    zh: "它会按计划再次运行。请排除原因，然后在“后台任务”页面重新运行。",
  },
  doctor_prices_no_models: { en: "No channel serves any model.", zh: "没有渠道提供模型。" },
  doctor_prices_fine: { en: "All {count} available models have a price.", zh: "提供的 {count} 个模型均有价格。" },
  doctor_prices_missing: {
    en: "{count} available models have no price: {names}",
    zh: "{count} 个已提供的模型没有价格：{names}",
  },
  doctor_fix_prices: {
    en: "Set prices under Settings → Operation → Model pricing. Until then, requests for these models are rejected.",
    zh: "请在“系统设置 → 运营 → 模型定价”中设置，在此之前对这些模型的请求会被拒绝。",
  },

  doctor_machine_load: { en: "The load average is {load} on {cores} cores.", zh: "负载为 {load}，共 {cores} 核。" },
  doctor_machine_late: { en: "Timers are at most {ms} ms late.", zh: "定时器最多延迟 {ms} 毫秒。" },
  doctor_fix_machine: {
    en: "Give the gateway more CPU time: reduce other load, add cores, or add a replica.",
    zh: "请为网关分配更多处理器时间：减少同机负载、增加核数或增加副本。",
  },
  doctor_benchmark: {
    en: "Measured just now with {calls} requests to itself: the gateway adds {p50} ms (median) and {p99} ms (99th percentile) per request and handles {perSecond} requests per second.",
    zh: "刚才以 {calls} 次自测请求测得：网关为每个请求增加的耗时，中位数为 {p50} 毫秒，99% 低于 {p99} 毫秒；每秒可处理 {perSecond} 个请求。",
  },
  doctor_overhead: {
    en: "In the last {calls} requests, the gateway itself took {p50} ms (median) and {p99} ms (99th percentile) to the first byte.",
    zh: "最近 {calls} 个请求中，网关自身到首字节的耗时，中位数为 {p50} 毫秒，99% 低于 {p99} 毫秒。",
  },
  doctor_overhead_no_calls: {
    en: "No requests since the start, so the gateway's overhead is unknown. Send one in the playground.",
    zh: "启动后尚无请求，无法得知网关自身耗时，可在操练场发送一个请求。",
  },
  doctor_overhead_not_running: {
    en: "The gateway's overhead is only known while it is running.",
    zh: "网关运行时才能得知其自身耗时。",
  },
} as const;
