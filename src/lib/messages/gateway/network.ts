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
