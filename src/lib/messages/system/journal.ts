/** The journal of charges and what keeps data whole, as the doctor finds them. */
export const journalMessages = {
  doctor_journal_empty: { en: "No charges are pending.", zh: "没有待入账的记录。" },
  doctor_journal_left: {
    en: "The journal contains {count} charges of ended processes that are not in the database yet.",
    zh: "日志文件中有 {count} 条已结束进程的计费记录尚未写入数据库。",
  },
  doctor_fix_journal_left: { en: "Start the gateway to write them.", zh: "请启动网关，启动后会自动写入。" },
  doctor_journal_depth: {
    en: "{count} charges are waiting for the database, the oldest for {seconds} s.",
    zh: "{count} 条计费等待写入数据库，最早的已等待 {seconds} 秒。",
  },
  doctor_journal_waits: {
    en: "The database rejects charges: {count} are waiting, the oldest for {seconds} s.",
    zh: "数据库拒绝写入计费：{count} 条等待中，最早的已等待 {seconds} 秒。",
  },
  doctor_journal_not_draining: {
    en: "Charges did not reach the database within 30 s.",
    zh: "计费在 30 秒内未能写入数据库。",
  },
  doctor_fix_journal_waits: {
    en: "Restore the database. Pending charges are stored on disk and written afterwards.",
    zh: "请恢复数据库的响应速度；等待中的记录保存在磁盘上，恢复后会自动写入。",
  },
  doctor_journal_flush: { en: "Pending charges are written in {ms} ms.", zh: "写入全部等待记录耗时 {ms} 毫秒。" },
  doctor_journal_refused: {
    en: "The journal cannot be written to disk; charges go to Redis and the database at once.",
    zh: "计费日志文件无法写入磁盘，计费将立即写入 Redis 与数据库。",
  },
  doctor_fix_journal_refused: {
    en: "Free up disk space in DATA_DIR, or mount it writable. Calls are refused while neither Redis nor the database takes charges.",
    zh: "请清理 DATA_DIR 的空间，或以可写方式挂载。若 Redis 与数据库也无法写入计费，请求将被拒绝。",
  },
  doctor_journal_rejected: {
    en: "{count} charges could not be booked and are stored in {path}.",
    zh: "{count} 条计费无法入账，已保存在 {path}。",
  },
  doctor_fix_journal_rejected: {
    en: "Run `sluice journal inspect`, repair what you can, then run `sluice journal replay`. `sluice journal acknowledge rejected` discards the rest.",
    zh: "请运行 `sluice journal inspect` 查看，修复后运行 `sluice journal replay`；无法修复的用 `sluice journal acknowledge rejected` 确认放弃。",
  },
  doctor_journal_lost: {
    en: "Process {process} at {location} ended unexpectedly, last seen {seen}. {count} charges were not in the database then, and later ones may be missing too.",
    zh: "进程 {process}（{location}）已异常退出，最后在线时间 {seen}；当时有 {count} 条计费未写入数据库，之后的计费也可能缺失。",
  },
  doctor_fix_journal_lost: {
    en: "Restore its DATA_DIR and start a gateway on it, or accept the loss: sluice journal acknowledge {process}",
    zh: "请恢复它的 DATA_DIR 并在其上启动网关；若无法恢复，请运行 sluice journal acknowledge {process} 确认损失。",
  },
  doctor_journal_copy_behind: {
    en: "Redis has no complete copy of the journal: unwritten charges are on this disk only.",
    zh: "Redis 中没有完整的日志副本：尚未入账的计费只保存在本机磁盘上。",
  },
  doctor_fix_journal_copy_behind: {
    en: "Restore Redis or give it more memory. The copy is completed automatically.",
    zh: "请恢复 Redis 或为其增加内存，副本会自动补全。",
  },

  doctor_checksums_on: {
    en: "Data checksums are on: disk corruption is detected when a page is read.",
    zh: "数据校验和已启用：读取被磁盘损坏的页时会立即发现。",
  },
  doctor_checksums_off: {
    en: "Data checksums are off: disk corruption is not detected.",
    zh: "数据校验和未启用：磁盘损坏无法被发现。",
  },
  doctor_fix_checksums: {
    en: "Stop the Postgres server and run pg_checksums --enable on its data directory, or ask your database provider.",
    zh: "请停止 Postgres 服务并对其数据目录运行 pg_checksums --enable，或联系数据库服务商。",
  },
} as const;
