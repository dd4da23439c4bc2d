import { CHINESE_DOCS } from "./docs-address.ts";

/** A page; with a title in Chinese it is translated, at the same path below `/zh`. */
type DocsPage = readonly [title: string, path: string, chineseTitle?: string];

type DocsSection = Readonly<{ name: string; chineseName: string; pages: readonly DocsPage[] }>;

/** The pages of the documentation, as its sidebar and the command palette list them. Paths are those below `/docs`. */
export const DOCS_SECTIONS: readonly DocsSection[] = [
  {
    name: "Start here",
    chineseName: "从这里开始",
    pages: [
      ["Getting started", "/guide/getting-started", "快速开始"],
      ["Concepts", "/guide/concepts", "基本概念"],
      ["Console tour", "/guide/console", "控制台导览"],
      ["Migration", "/guide/migration", "迁移"],
    ],
  },
  {
    name: "Connect clients",
    chineseName: "接入客户端",
    pages: [
      ["Coding agents", "/guide/agents/coding-agents", "编程智能体"],
      ["SDKs", "/guide/agents/sdks", "SDK"],
      ["Examples", "/guide/agents/examples", "示例"],
      ["API reference", "/guide/api", "接口文档"],
      ["Errors", "/operate/site/errors", "错误与处理"],
      ["Compatibility", "/guide/compatibility"],
      ["Prompt caching", "/guide/agents/prompt-caching", "提示词缓存"],
      ["Response cache", "/guide/agents/response-cache", "响应缓存"],
      ["Responses", "/guide/agents/responses", "Responses"],
      ["Your own provider keys", "/guide/agents/provider-keys", "自己的服务商密钥"],
      ["MCP in requests", "/guide/agents/mcp", "在请求中使用 MCP"],
    ],
  },
  {
    name: "Offer models",
    chineseName: "提供模型",
    pages: [
      ["Channels and providers", "/guide/channels", "渠道与服务商"],
      ["Providers", "/operate/site/provider-setup", "服务商"],
      ["Routes", "/guide/routes", "路由"],
      ["Pricing and billing", "/guide/pricing", "定价与计费"],
      ["Model catalog", "/guide/model-catalog", "模型目录"],
      ["Model checks", "/operate/monitoring/model-checks", "模型检查"],
      ["Guardrails", "/operate/site/guardrails", "护栏"],
      ["MCP servers", "/operate/site/mcp", "MCP 服务器"],
    ],
  },
  {
    name: "Accounts and money",
    chineseName: "账户与费用",
    pages: [
      ["Organizations", "/guide/organizations", "组织"],
      ["Roles for administrators", "/accounts/roles", "管理员角色"],
      ["Service accounts", "/accounts/service-accounts", "服务账号"],
      ["Single sign-on", "/accounts/single-sign-on", "单点登录"],
      ["Payments", "/accounts/payments", "支付"],
      ["Plans", "/accounts/plans", "套餐"],
      ["Statements", "/accounts/statements", "对账单"],
    ],
  },
  {
    name: "Install and set up",
    chineseName: "安装与设置",
    pages: [
      ["Deployment", "/operate/deployment", "部署"],
      ["Configuration", "/operate/configuration", "配置"],
      ["Settings", "/operate/site/settings", "设置"],
      ["A site as files", "/operate/site/files", "用文件管理站点"],
      ["Reverse proxies", "/operate/site/proxies", "反向代理"],
      ["Secret managers", "/operate/secrets", "密钥管理器"],
      ["Air-gapped sites", "/operate/site/offline", "离线站点"],
      ["Your own site", "/operate/site/public-site", "定制站点"],
      ["Upgrades and the way back", "/operate/site/upgrades", "升级与回退"],
      ["What stays stable", "/operate/site/stability", "稳定性承诺"],
    ],
  },
  {
    name: "Run and watch",
    chineseName: "运行与监控",
    pages: [
      ["Operations and backups", "/operate/operations", "运维与备份"],
      ["Outages of Postgres", "/operate/outages", "Postgres 中断"],
      ["Alerts", "/operate/alerts", "告警"],
      ["Metrics", "/operate/metrics", "指标"],
      ["OpenTelemetry", "/operate/monitoring/telemetry", "OpenTelemetry"],
      ["Usage exports", "/operate/monitoring/exports", "用量导出"],
      ["Log retention and archive", "/operate/monitoring/log-retention", "日志保留与归档"],
      ["Sessions of agents", "/operate/monitoring/sessions", "智能体会话"],
      ["Replays", "/operate/monitoring/replays", "重放"],
      ["When one database is not enough", "/operate/site/more-databases", "一个数据库不够时"],
      ["Plan for scale", "/contributing/scale"],
      ["Benchmarks", "/operate/benchmarks"],
      ["Security", "/operate/security", "安全"],
      ["Accessibility", "/operate/accessibility"],
    ],
  },
  {
    name: "Understand it",
    chineseName: "了解原理",
    pages: [
      ["Architecture", "/architecture"],
      ["Decisions", "/decisions/"],
      ["Contributing", "/contributing"],
      ["Adding a provider", "/contributing/adding-a-provider"],
      ["Services", "/contributing/services"],
      ["Making a release", "/contributing/releases"],
      ["OWASP ASVS", "/contributing/asvs"],
      ["A cluster, broken part by part", "/contributing/cluster"],
      ["The kill test", "/contributing/kill-test"],
    ],
  },
];

/** The title and the path of a page in a language: in Chinese where it is translated, else in English. */
export const docsPageIn = ([title, path, chineseTitle]: DocsPage, isChinese: boolean): readonly [string, string] =>
  isChinese && chineseTitle !== undefined ? [chineseTitle, CHINESE_DOCS + path] : [title, path];
