/** The texts of pages as search engines get them. */
export const publicPageMessages = {
  model_not_offered: { en: "{model} is not offered here.", zh: "本站未提供 {model}。" },
  page_limited: {
    en: "Too many pages from your network",
    zh: "你所在网络的访问过于频繁",
  },
  page_limited_about: {
    en: "The page then loads by itself. Signed-in people are not limited.",
    zh: "届时页面会自动加载。已登录的用户不受限制。",
  },
  page_limited_again: {
    en: "Try again",
    zh: "重试",
  },
  page_home: {
    en: "Call any AI model with the OpenAI, Anthropic, Gemini or Responses API, with one key and exact prices.",
    zh: "一个密钥，用 OpenAI、Anthropic、Gemini 或 Responses API 调用各家模型，按实际用量精确计费。",
  },
  page_prices: { en: "Model prices", zh: "模型价格" },
  page_prices_about: {
    en: "Prices of {count} AI models at {site}, with context window and what each can read and write.",
    zh: "{site} 提供的 {count} 个 AI 模型的价格、上下文长度与能力。",
  },
  page_status: { en: "Model status", zh: "模型状态" },
  page_status_about: {
    en: "Current state and availability of {count} AI models at {site}.",
    zh: "{site} 上 {count} 个 AI 模型的当前状态与可用率。",
  },
  page_about: { en: "About {site}", zh: "关于 {site}" },
  page_model_about: {
    en: "{model} at {site}: price, context window, abilities and an example call.",
    zh: "{site} 上的 {model}：价格、上下文长度、能力与调用示例。",
  },
  page_model: { en: "Model", zh: "模型" },
  page_price: { en: "Price", zh: "价格" },
  page_token_price: {
    en: "{input} input, {output} output per million tokens",
    zh: "每百万 token：输入 {input}，输出 {output}",
  },
  page_call_price: { en: "{price} per call", zh: "每次 {price}" },
  page_image_price: { en: "{price} per image", zh: "每张图片 {price}" },
  page_second_price: { en: "{price} per second", zh: "每秒 {price}" },
  page_video_price: { en: "{price} per video", zh: "每个视频 {price}" },
  page_minute_price: { en: "{price} per minute", zh: "每分钟 {price}" },
  page_character_price: { en: "{price} per million characters", zh: "每百万字符 {price}" },
  page_unpriced: { en: "No price yet", zh: "暂无价格" },
  page_context: { en: "Context window", zh: "上下文长度" },
  page_tokens: { en: "{count} tokens", zh: "{count} 个 token" },
  page_inputs: { en: "Input", zh: "输入" },
  page_outputs: { en: "Output", zh: "输出" },
  page_provider: { en: "Provider", zh: "厂商" },
  page_availability: { en: "Availability", zh: "可用率" },
  page_first_token: { en: "Time to first token (median)", zh: "首字时间（中位数）" },
  page_example: { en: "Example call", zh: "调用示例" },
  page_state_up: { en: "Operational", zh: "正常" },
  page_state_degraded: { en: "Degraded", zh: "不稳定" },
  page_state_down: { en: "Down", zh: "不可用" },
} as const;
