/** What the doctor finds about the machine and the services that the gateway needs, and the fix for each. */
export const doctorMessages = {
  job_not_found: { en: "There is no job with this name.", zh: "没有这个名称的后台任务。" },
  job_not_runnable: {
    en: "This job only runs on its schedule.",
    zh: "该后台任务只能按计划运行。",
  },
  job_running: {
    en: "This job is already running. Wait until it has ended.",
    zh: "该后台任务正在运行，请等待其结束。",
  },
  job_started: { en: "The job has started.", zh: "后台任务已开始运行。" },
  doctor_title_database: { en: "Database", zh: "数据库" },
  doctor_title_disk: { en: "Disk", zh: "磁盘" },
  doctor_title_clock: { en: "Clock", zh: "时钟" },
  doctor_title_journal: { en: "Billing journal", zh: "计费日志" },
  doctor_title_jobs: { en: "Jobs", zh: "后台任务" },
  doctor_title_streams: { en: "Streaming through the proxy", zh: "经过代理的流式传输" },
  doctor_title_mail: { en: "Email", zh: "邮件" },
  doctor_title_redis: { en: "Redis", zh: "Redis" },
  doctor_title_secrets: { en: "Secrets", zh: "密钥与口令" },
  doctor_title_channels: { en: "Channels", zh: "渠道" },
  doctor_title_prices: { en: "Prices", zh: "价格" },
  doctor_title_machine: { en: "Machine performance", zh: "本机性能" },

  doctor_check_failed: { en: "The check failed to run: {reason}", zh: "检查未能完成：{reason}" },
  doctor_fix_check_failed: {
    en: "Resolve the other problems first, then check the gateway's log.",
    zh: "请先处理其他问题，再查看网关日志。",
  },

  doctor_database_embedded: {
    en: "The embedded Postgres {version} responds.",
    zh: "内置 Postgres {version} 正常响应。",
  },
  doctor_database_server: { en: "The Postgres server {version} responds.", zh: "Postgres 服务器 {version} 正常响应。" },
  doctor_database_down: { en: "The database does not respond: {reason}", zh: "数据库无响应：{reason}" },
  doctor_fix_database_embedded: {
    en: "Restart the gateway. If the problem persists, check the disk of DATA_DIR and restore a backup.",
    zh: "请重启网关；如仍无响应，请检查 DATA_DIR 所在磁盘，并恢复备份。",
  },
  doctor_fix_database_server: {
    en: "Check that the server in DATABASE_URL is running, accepts this machine and has connections left.",
    zh: "请检查 DATABASE_URL 中的服务器是否运行、是否允许本机连接、连接数是否已用尽。",
  },
  doctor_replica_fine: {
    en: "Lists and charts are read from the replica, which is {seconds} s behind.",
    zh: "列表与图表从只读副本读取，副本延迟 {seconds} 秒。",
  },
  doctor_replica_behind: {
    en: "The replica is {seconds} s behind. Lists and charts are read from the primary.",
    zh: "只读副本延迟 {seconds} 秒，列表与图表改从主库读取。",
  },
  doctor_fix_replica_behind: {
    en: "Check the standby's load and its connection to the primary, or raise DATABASE_REPLICA_MAX_LAG.",
    zh: "请检查备库的负载及其与主库的连接，或调高 DATABASE_REPLICA_MAX_LAG。",
  },
  doctor_replica_down: {
    en: "The replica does not answer. Lists and charts are read from the primary.",
    zh: "只读副本没有响应，列表与图表改从主库读取。",
  },
  doctor_fix_replica_down: {
    en: "Check that the server of DATABASE_REPLICA_URL runs and can be reached.",
    zh: "请检查 DATABASE_REPLICA_URL 指向的服务器是否在运行且可以访问。",
  },
  doctor_database_write: { en: "A committed write takes {ms} ms.", zh: "一次提交写入耗时 {ms} 毫秒。" },
  doctor_fix_database_slow: {
    en: "Move the database to a faster disk or closer to the gateway, and check for other load on it.",
    zh: "请将数据库放在更快的磁盘上或离网关更近的位置，并检查是否有其他任务占用。",
  },
  doctor_migrations_done: { en: "The database schema matches this release.", zh: "数据表与当前版本一致。" },
  doctor_migrations_pending: { en: "The database schema is older than this release.", zh: "数据表早于当前版本。" },
  doctor_fix_migrations_pending: {
    en: "Start the gateway; it migrates the schema.",
    zh: "请启动网关，启动时会自动更新数据表。",
  },
  doctor_migrations_compatible: {
    en: "A newer release has added to the database schema; this release works with it.",
    zh: "更新的版本扩展了数据表，当前版本仍可正常使用。",
  },
  doctor_migrations_newer: {
    en: "A newer release has removed parts of the database schema that this release uses.",
    zh: "更新的版本移除了当前版本所需的部分数据表结构。",
  },
  doctor_fix_migrations_newer: { en: "Run that newer release.", zh: "请运行对应的新版本。" },

  doctor_disk_free: { en: "{dataDir} has {gib} GiB of free space.", zh: "{dataDir} 剩余 {gib} GiB 空间。" },
  doctor_fix_disk_free: {
    en: "Free up or add disk space: without it, charges cannot be stored. You can delete old logs under Settings.",
    zh: "请清理或扩容磁盘：没有空间将无法保存计费。旧日志可在系统设置中清理。",
  },
  doctor_disk_sync: { en: "A write reaches the disk in {ms} ms.", zh: "写入落盘耗时 {ms} 毫秒。" },
  doctor_fix_disk_sync: {
    en: "Put DATA_DIR on a local SSD; network file systems are slow to sync.",
    zh: "请将 DATA_DIR 放在本地固态硬盘上，网络文件系统的落盘较慢。",
  },
  doctor_disk_refuses: { en: "Cannot write to {dataDir}: {reason}", zh: "无法写入 {dataDir}：{reason}" },
  doctor_fix_disk_refuses: {
    en: "Set DATA_DIR to a directory with free space that the gateway's user can write to.",
    zh: "请将 DATA_DIR 设为网关用户可写、且有剩余空间的目录。",
  },

  doctor_clock_database: {
    en: "The database's clock differs from this machine's by {seconds} s.",
    zh: "数据库时钟与本机相差 {seconds} 秒。",
  },
  doctor_clock_upstream: {
    en: "The clock of {host} differs from this machine's by {seconds} s.",
    zh: "{host} 的时钟与本机相差 {seconds} 秒。",
  },
  doctor_clock_upstream_silent: { en: "{host} did not return its time.", zh: "{host} 未返回时间。" },
  doctor_clock_no_upstream: {
    en: "No enabled channel to compare the clock with.",
    zh: "没有已启用的渠道可用于比对时钟。",
  },
  doctor_fix_clock: {
    en: "Turn on time synchronization on both machines (chrony, systemd-timesyncd). One-time codes and signed requests depend on it.",
    zh: "请在两台机器上启用时间同步（chrony、systemd-timesyncd）：动态验证码和签名请求依赖准确的时间。",
  },

  doctor_streams_no_address: {
    en: "Set the server address in the settings to check streaming from this machine. This page checks it from your browser.",
    zh: "请在系统设置中填写服务器地址，以便从本机检查流式传输；本页面会从浏览器检查。",
  },
  doctor_streams_flow: {
    en: "Events sent over {sent} ms arrive over {ms} ms through {address}. Streaming is not buffered.",
    zh: "在 {sent} 毫秒内发送的事件经 {address} 在 {ms} 毫秒内陆续到达：没有被缓冲。",
  },
  doctor_streams_held: {
    en: "Events sent over {sent} ms arrive within {ms} ms through {address}. A proxy is buffering the stream.",
    zh: "在 {sent} 毫秒内发送的事件经 {address} 在 {ms} 毫秒内一起到达：中间有缓冲。",
  },
  doctor_fix_streams_held: {
    en: "Turn off buffering and compression of /v1 in the proxy. nginx: proxy_buffering off; gzip off; proxy_http_version 1.1; Caddy: flush_interval -1; Apache: SetEnv proxy-sendchunked 1 and no mod_deflate; CDNs: no caching of /v1.",
    zh: "请在代理中关闭 /v1 的缓冲与压缩。nginx：proxy_buffering off; gzip off; proxy_http_version 1.1; Caddy：flush_interval -1; Apache：SetEnv proxy-sendchunked 1 且停用 mod_deflate；CDN：不要缓存 /v1。",
  },
  doctor_streams_other: {
    en: "{address} returned status {status}, and the response is not from this gateway.",
    zh: "{address} 返回状态码 {status}，响应并非来自本网关。",
  },
  doctor_streams_unreachable: {
    en: "Couldn't reach {address} from this machine: {reason}",
    zh: "无法从本机访问 {address}：{reason}",
  },
  doctor_fix_streams_other: {
    en: "Correct the server address in the settings, or the proxy's configuration for this gateway.",
    zh: "请检查设置中的服务器地址，以及代理转发到本网关的配置。",
  },

  doctor_mail_unset: { en: "No mail server is set.", zh: "未设置邮件服务器。" },
  doctor_mail_answers: { en: "{server} responds and accepts the account.", zh: "{server} 响应正常，账号可用。" },
  doctor_mail_fails: { en: "{server} cannot be used: {reason}", zh: "无法使用 {server}：{reason}" },
  doctor_fix_mail: {
    en: "Check server, port, account and password in the email settings. EAUTH: the account; ETIMEDOUT, ECONNREFUSED: server, port or a firewall; port 465 requires TLS.",
    zh: "请检查邮件设置中的服务器、端口、账号和密码。EAUTH：账号问题；ETIMEDOUT、ECONNREFUSED：服务器、端口或防火墙问题；465 端口需要 TLS。",
  },
  doctor_mail_sent: { en: "A test email was sent to {to}.", zh: "测试邮件已发往 {to}。" },
  doctor_mail_subject: { en: "Test email", zh: "测试邮件" },
  doctor_mail_text: { en: "Emails from this site can be delivered.", zh: "本站邮件可以送达。" },

  doctor_redis_unset: {
    en: "REDIS_URL is not set: each process counts rate limits on its own, which is fine for a single process.",
    zh: "未设置 REDIS_URL：各进程独立统计速率限制，单进程部署无需设置。",
  },
  doctor_redis_answers: { en: "Redis responds in {ms} ms.", zh: "Redis 响应耗时 {ms} 毫秒。" },
  doctor_redis_down: { en: "Redis does not respond: {reason}", zh: "Redis 无响应：{reason}" },
  doctor_fix_redis_slow: {
    en: "Move Redis closer to the gateway: every model request queries it.",
    zh: "请将 Redis 放在离网关更近的位置：每次模型请求都会查询它。",
  },
  doctor_fix_redis_down: {
    en: "Start Redis or correct REDIS_URL. Until then, each process counts rate limits on its own.",
    zh: "请启动 Redis 或更正 REDIS_URL；在此之前各进程独立统计速率限制。",
  },

  doctor_key_from_environment: {
    en: "The encryption key comes from ENCRYPTION_KEY.",
    zh: "加密密钥来自 ENCRYPTION_KEY。",
  },
  doctor_key_short: { en: "ENCRYPTION_KEY has only {count} characters.", zh: "ENCRYPTION_KEY 只有 {count} 个字符。" },
  doctor_fix_key_short: {
    en: "Use at least 32 random characters for new installations. Existing data cannot be read with another key.",
    zh: "新部署请使用至少 32 个随机字符；现有数据无法用其他密钥读取。",
  },
  doctor_key_file: {
    en: "Only the gateway's user can read {path} (mode {mode}).",
    zh: "只有网关用户可读取 {path}（权限 {mode}）。",
  },
  doctor_key_open: {
    en: "Other users of this machine can read {path} (mode {mode}).",
    zh: "本机其他用户可以读取 {path}（权限 {mode}）。",
  },
  doctor_fix_key_open: { en: "chmod 600 {path}", zh: "chmod 600 {path}" },
  doctor_key_missing: { en: "The key file {path} is missing.", zh: "密钥文件 {path} 不存在。" },
  doctor_fix_key_missing: {
    en: "Restore it from your backup before the next start. Without it, channel keys cannot be read.",
    zh: "请在下次启动前从备份恢复：没有它将无法读取渠道密钥。",
  },
  doctor_passwords_fine: {
    en: "No administrator uses a common default password ({count} checked).",
    zh: "{count} 位管理员均未使用常见默认密码。",
  },
  doctor_passwords_known: {
    en: "Administrators with a common default password: {names}",
    zh: "使用常见默认密码的管理员：{names}",
  },
  doctor_fix_passwords: {
    en: "Change their passwords now and turn on two-step verification: sluice reset-password USER.",
    zh: "请立即修改并启用两步验证：sluice reset-password USER。",
  },
  doctor_cookies_no_address: {
    en: "No server address is set, so it is unknown whether sessions are encrypted.",
    zh: "未设置服务器地址，无法判断会话是否加密传输。",
  },
  doctor_cookies_secure: { en: "Sessions are sent over HTTPS only.", zh: "会话仅通过 HTTPS 传输。" },
  doctor_cookies_local: {
    en: "{address} is this machine; HTTPS is not needed.",
    zh: "{address} 为本机地址，无需 HTTPS。",
  },
  doctor_cookies_untrusted: {
    en: "{address} uses HTTPS, but no proxy is trusted: cookies may lack “Secure”, and all clients share one address.",
    zh: "{address} 为 HTTPS，但未信任任何代理：Cookie 可能缺少 Secure，且所有客户端共用同一地址。",
  },
  doctor_fix_cookies_untrusted: {
    en: "Set TRUSTED_PROXIES to the proxy's address, and configure the proxy to send X-Forwarded-Proto and X-Forwarded-For.",
    zh: "请将 TRUSTED_PROXIES 设为代理地址，并让代理发送 X-Forwarded-Proto 与 X-Forwarded-For。",
  },
  doctor_cookies_plain: {
    en: "{address} is not encrypted: passwords and API keys can be intercepted.",
    zh: "{address} 未加密：密码和令牌可能在传输中被窃取。",
  },
  doctor_fix_cookies_plain: {
    en: "Put a proxy with a certificate in front of the gateway (Caddy gets one automatically) and change the server address to https://.",
    zh: "请在网关前部署带证书的代理（Caddy 可自动完成），并将服务器地址改为 https://。",
  },
} as const;
