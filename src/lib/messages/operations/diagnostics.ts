/** What the doctor finds, and the fix for each. */
export const doctorMessages = {
  doctor_title_database: { en: "Database", zh: "数据库" },
  doctor_title_disk: { en: "Disk", zh: "磁盘" },
  doctor_title_clock: { en: "Clock", zh: "时钟" },
  doctor_title_journal: { en: "Journal of charges", zh: "计费日志文件" },
  doctor_title_streams: { en: "Streams through the proxy", zh: "经过代理的流式传输" },
  doctor_title_mail: { en: "Mail", zh: "邮件" },
  doctor_title_redis: { en: "Redis", zh: "Redis" },
  doctor_title_secrets: { en: "Secrets", zh: "密钥与口令" },
  doctor_title_channels: { en: "Channels", zh: "渠道" },
  doctor_title_prices: { en: "Prices", zh: "价格" },
  doctor_title_machine: { en: "Speed of this machine", zh: "本机性能" },

  doctor_check_failed: { en: "The check itself failed: {reason}", zh: "检查未能完成：{reason}" },
  doctor_fix_check_failed: {
    en: "Look at the other findings first; then at the gateway's log.",
    zh: "请先处理其他问题，再查看网关日志。",
  },

  doctor_database_embedded: {
    en: "The embedded Postgres {version} answers.",
    zh: "内置 Postgres {version} 正常响应。",
  },
  doctor_database_server: { en: "The Postgres server {version} answers.", zh: "Postgres 服务器 {version} 正常响应。" },
  doctor_database_down: { en: "The database does not answer: {reason}", zh: "数据库无响应：{reason}" },
  doctor_fix_database_embedded: {
    en: "Restart the gateway. If it stays, check the disk of DATA_DIR and restore a backup.",
    zh: "请重启网关；如仍无响应，请检查 DATA_DIR 所在磁盘，并恢复备份。",
  },
  doctor_fix_database_server: {
    en: "Check that the server in DATABASE_URL runs, lets this machine in and has connections left.",
    zh: "请检查 DATABASE_URL 中的服务器是否运行、是否允许本机连接、连接数是否已用尽。",
  },
  doctor_database_write: { en: "A committed write takes {ms} ms.", zh: "一次提交写入耗时 {ms} 毫秒。" },
  doctor_fix_database_slow: {
    en: "Put the database on a faster disk or nearer to the gateway, and look for what else keeps it busy.",
    zh: "请将数据库放在更快的磁盘上或离网关更近的位置，并检查是否有其他任务占用。",
  },
  doctor_migrations_done: { en: "Its tables are those of this release.", zh: "数据表与当前版本一致。" },
  doctor_migrations_pending: { en: "Its tables are older than this release.", zh: "数据表早于当前版本。" },
  doctor_fix_migrations_pending: {
    en: "Start the gateway: it brings the tables up to date.",
    zh: "请启动网关，启动时会自动更新数据表。",
  },
  doctor_migrations_newer: { en: "Its tables belong to a newer release.", zh: "数据表属于更新的版本。" },
  doctor_fix_migrations_newer: { en: "Run that newer release.", zh: "请运行对应的新版本。" },

  doctor_disk_free: { en: "{gib} GiB are free for {dataDir}.", zh: "{dataDir} 剩余 {gib} GiB 空间。" },
  doctor_fix_disk_free: {
    en: "Make room or enlarge the disk: without space no charge can be kept. Old logs can be cleared under Settings.",
    zh: "请清理或扩容磁盘：没有空间将无法保存计费。旧日志可在系统设置中清理。",
  },
  doctor_disk_sync: { en: "A write is on the disk after {ms} ms.", zh: "写入落盘耗时 {ms} 毫秒。" },
  doctor_fix_disk_sync: {
    en: "Put DATA_DIR on a local SSD; network file systems are slow to sync.",
    zh: "请将 DATA_DIR 放在本地固态硬盘上，网络文件系统的落盘较慢。",
  },
  doctor_disk_refuses: { en: "{dataDir} cannot be written: {reason}", zh: "无法写入 {dataDir}：{reason}" },
  doctor_fix_disk_refuses: {
    en: "Set DATA_DIR to a directory on a disk with room that belongs to the gateway's user.",
    zh: "请将 DATA_DIR 设为网关用户可写、且有剩余空间的目录。",
  },

  doctor_clock_database: {
    en: "The database's clock is {seconds} s off this one.",
    zh: "数据库时钟与本机相差 {seconds} 秒。",
  },
  doctor_clock_upstream: {
    en: "The clock of {host} is {seconds} s off this one.",
    zh: "{host} 的时钟与本机相差 {seconds} 秒。",
  },
  doctor_clock_upstream_silent: { en: "{host} did not tell its time.", zh: "{host} 未返回时间。" },
  doctor_clock_no_upstream: {
    en: "No enabled channel to compare the clock with.",
    zh: "没有已启用的渠道可用于比对时钟。",
  },
  doctor_fix_clock: {
    en: "Turn on time synchronization on both machines (chrony, systemd-timesyncd): one-time codes and signed requests need it.",
    zh: "请在两台机器上启用时间同步（chrony、systemd-timesyncd）：动态验证码和签名请求依赖准确的时间。",
  },

  doctor_streams_no_address: {
    en: "Set the server address in the settings to have streams checked from here. The page checks them from your browser.",
    zh: "请在设置中填写服务器地址以便从本机检查流式传输；页面会从您的浏览器检查。",
  },
  doctor_streams_flow: {
    en: "Events sent over {sent} ms arrive over {ms} ms through {address}: nothing holds them back.",
    zh: "在 {sent} 毫秒内发送的事件经 {address} 在 {ms} 毫秒内陆续到达：没有被缓冲。",
  },
  doctor_streams_held: {
    en: "Events sent over {sent} ms arrive within {ms} ms through {address}: something gathers them.",
    zh: "在 {sent} 毫秒内发送的事件经 {address} 在 {ms} 毫秒内一起到达：中间有缓冲。",
  },
  doctor_fix_streams_held: {
    en: "Turn off buffering and compression of /v1 in the proxy. nginx: proxy_buffering off; gzip off; proxy_http_version 1.1; Caddy: flush_interval -1; Apache: SetEnv proxy-sendchunked 1 and no mod_deflate; CDNs: no caching of /v1.",
    zh: "请在代理中关闭 /v1 的缓冲与压缩。nginx：proxy_buffering off; gzip off; proxy_http_version 1.1; Caddy：flush_interval -1; Apache：SetEnv proxy-sendchunked 1 且停用 mod_deflate；CDN：不要缓存 /v1。",
  },
  doctor_streams_other: {
    en: "{address} answered with status {status}, and not as this gateway does.",
    zh: "{address} 返回状态码 {status}，应答并非来自本网关。",
  },
  doctor_streams_unreachable: {
    en: "{address} cannot be reached from here: {reason}",
    zh: "无法从本机访问 {address}：{reason}",
  },
  doctor_fix_streams_other: {
    en: "Correct the server address in the settings, or what the proxy sends to this gateway.",
    zh: "请检查设置中的服务器地址，以及代理转发到本网关的配置。",
  },

  doctor_mail_unset: { en: "No mail server is set.", zh: "未设置邮件服务器。" },
  doctor_mail_answers: { en: "{server} answers and takes the account.", zh: "{server} 响应正常，账号可用。" },
  doctor_mail_fails: { en: "{server} cannot be used: {reason}", zh: "无法使用 {server}：{reason}" },
  doctor_fix_mail: {
    en: "Check server, port, account and password of the mail settings. EAUTH: the account; ETIMEDOUT, ECONNREFUSED: server, port or a firewall; port 465 needs TLS.",
    zh: "请检查邮件设置中的服务器、端口、账号和密码。EAUTH：账号问题；ETIMEDOUT、ECONNREFUSED：服务器、端口或防火墙问题；465 端口需要 TLS。",
  },
  doctor_mail_sent: { en: "A test mail is on its way to {to}.", zh: "测试邮件已发往 {to}。" },
  doctor_mail_subject: { en: "Test mail", zh: "测试邮件" },
  doctor_mail_text: { en: "Mail of this site arrives.", zh: "本站邮件可以送达。" },

  doctor_redis_unset: {
    en: "No REDIS_URL: each process counts requests for itself, which is right for a single one.",
    zh: "未设置 REDIS_URL：各进程独立计数，单进程部署无需设置。",
  },
  doctor_redis_answers: { en: "It answers in {ms} ms.", zh: "响应耗时 {ms} 毫秒。" },
  doctor_redis_down: { en: "It does not answer: {reason}", zh: "无响应：{reason}" },
  doctor_fix_redis_slow: {
    en: "Put Redis nearer to the gateway: each model request asks it.",
    zh: "请将 Redis 放在离网关更近的位置：每次模型请求都会查询它。",
  },
  doctor_fix_redis_down: {
    en: "Start it or correct REDIS_URL; until then each process counts limits for itself.",
    zh: "请启动 Redis 或更正 REDIS_URL；在此之前各进程独立计数限额。",
  },

  doctor_key_given: { en: "The encryption key comes from ENCRYPTION_KEY.", zh: "加密密钥来自 ENCRYPTION_KEY。" },
  doctor_key_short: { en: "ENCRYPTION_KEY has only {count} characters.", zh: "ENCRYPTION_KEY 只有 {count} 个字符。" },
  doctor_fix_key_short: {
    en: "Use 32 random characters or more for the next installation; this one's data cannot be read under another key.",
    zh: "新部署请使用至少 32 个随机字符；现有数据无法用其他密钥读取。",
  },
  doctor_key_file: {
    en: "Only the gateway's user can read {path} (mode {mode}).",
    zh: "只有网关用户可读取 {path}（权限 {mode}）。",
  },
  doctor_key_open: {
    en: "Others on this machine can open {path} (mode {mode}).",
    zh: "本机其他用户可以打开 {path}（权限 {mode}）。",
  },
  doctor_fix_key_open: { en: "chmod 600 {path}", zh: "chmod 600 {path}" },
  doctor_key_missing: { en: "The key file {path} is gone.", zh: "密钥文件 {path} 不存在。" },
  doctor_fix_key_missing: {
    en: "Put it back from your backup before the next start: without it channel keys cannot be read.",
    zh: "请在下次启动前从备份恢复：没有它将无法读取渠道密钥。",
  },
  doctor_passwords_fine: {
    en: "None of {count} administrators has a password that everybody tries first.",
    zh: "{count} 位管理员均未使用常见默认密码。",
  },
  doctor_passwords_known: { en: "Known default passwords: {names}", zh: "使用常见默认密码的管理员：{names}" },
  doctor_fix_passwords: {
    en: "Change them now, and turn on two-factor authentication: sluice reset-password USER.",
    zh: "请立即修改并启用两步验证：sluice reset-password USER。",
  },
  doctor_cookies_no_address: {
    en: "No server address is set, so whether sessions are encrypted is unknown.",
    zh: "未设置服务器地址，无法判断会话是否加密传输。",
  },
  doctor_cookies_secure: { en: "Sessions travel over HTTPS only.", zh: "会话仅通过 HTTPS 传输。" },
  doctor_cookies_local: {
    en: "{address} is this machine: no HTTPS is needed.",
    zh: "{address} 为本机地址，无需 HTTPS。",
  },
  doctor_cookies_untrusted: {
    en: "{address} is HTTPS, but no proxy is trusted: cookies may lack “Secure”, and all clients share one address.",
    zh: "{address} 为 HTTPS，但未信任任何代理：Cookie 可能缺少 Secure，且所有客户端共用同一地址。",
  },
  doctor_fix_cookies_untrusted: {
    en: "Set TRUSTED_PROXIES to the proxy's address, and have it send X-Forwarded-Proto and X-Forwarded-For.",
    zh: "请将 TRUSTED_PROXIES 设为代理地址，并让代理发送 X-Forwarded-Proto 与 X-Forwarded-For。",
  },
  doctor_cookies_plain: {
    en: "{address} is not encrypted: passwords and API keys can be read on the way.",
    zh: "{address} 未加密：密码和 API 密钥可能在传输中被窃取。",
  },
  doctor_fix_cookies_plain: {
    en: "Put a proxy with a certificate before the gateway (Caddy does it by itself) and set the server address to https://.",
    zh: "请在网关前部署带证书的代理（Caddy 可自动完成），并将服务器地址改为 https://。",
  },

  doctor_channels_none: { en: "No channel is enabled.", zh: "没有已启用的渠道。" },
  doctor_fix_channels_none: { en: "Add or enable one under Channels.", zh: "请在渠道页面添加或启用渠道。" },
  doctor_channels_fine: {
    en: "All {count} enabled channels can be chosen by calls.",
    zh: "{count} 个已启用渠道均可被调用。",
  },
  doctor_channels_idle: {
    en: "{count} enabled channels have no model or no group, so no call reaches them: {names}",
    zh: "{count} 个已启用渠道没有模型或分组，无法被调用：{names}",
  },
  doctor_fix_channels_idle: {
    en: "Give them models and a group, or disable them.",
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
  doctor_channels_keys: {
    en: "{count} enabled channels have no key that is on: {names}",
    zh: "{count} 个已启用渠道没有可用密钥：{names}",
  },
  doctor_fix_channels_keys: { en: "Enable or replace their keys.", zh: "请启用或更换其密钥。" },

  doctor_prices_no_models: { en: "No model is offered.", zh: "没有提供任何模型。" },
  doctor_prices_fine: {
    en: "All {count} models that are offered have a price.",
    zh: "提供的 {count} 个模型均有价格。",
  },
  doctor_prices_missing: {
    en: "Models that are offered without a price ({count}): {names}",
    zh: "{count} 个已提供的模型没有价格：{names}",
  },
  doctor_fix_prices: {
    en: "Set them under Settings → Models → Models without a price: calls to them are refused.",
    zh: "请在 设置 → 模型 → 未设置价格的模型 中设置：对这些模型的调用会被拒绝。",
  },

  doctor_machine_load: { en: "The load is {load} on {cores} cores.", zh: "负载为 {load}，共 {cores} 核。" },
  doctor_machine_late: { en: "Timers come at most {ms} ms late.", zh: "定时器最多延迟 {ms} 毫秒。" },
  doctor_fix_machine: {
    en: "Give the gateway more processor time: fewer neighbors, more cores, or another replica.",
    zh: "请为网关分配更多处理器时间：减少同机负载、增加核数或增加副本。",
  },
  doctor_benchmark: {
    en: "Measured with {calls} calls to itself just now, the gateway adds {p50} ms (median) and {p99} ms (99 of 100 less) to a call, and takes {perSecond} calls a second.",
    zh: "刚才以 {calls} 次自测调用测得：网关给每次调用增加的耗时中位数为 {p50} 毫秒，99% 低于 {p99} 毫秒；每秒可处理 {perSecond} 次调用。",
  },
  doctor_overhead: {
    en: "In the last {calls} calls the gateway itself took {p50} ms (median) and {p99} ms (99 of 100 took less) up to the first byte.",
    zh: "最近 {calls} 次调用中，网关自身到首字节的耗时中位数为 {p50} 毫秒，99% 低于 {p99} 毫秒。",
  },
  doctor_overhead_no_calls: {
    en: "No call since the start, so the gateway's own time is unknown: send one in the playground.",
    zh: "启动后尚无调用，无法得知网关自身耗时：可在操练场发送一次。",
  },
  doctor_overhead_not_running: {
    en: "The gateway's own time is known only while it runs.",
    zh: "网关运行时才能得知其自身耗时。",
  },
} as const;
