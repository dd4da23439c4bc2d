import type { LostJournal } from "../../../billing/ledger/processes/lost-processes.ts";
import type { Notice } from "../message.ts";

type Loss = Pick<LostJournal, "processId" | "location" | "unwritten" | "lastSeenAt">;

/** That a process died with charges that nobody has written. */
export const journalLost = ({ processId, location, unwritten, lastSeenAt }: Loss): Notice => ({
  type: `journal_lost_${processId}`,
  title: { en: "A process died with unwritten charges", zh: "有进程带着未入账的计费异常退出" },
  content: {
    en: "Process {{value}} ({{value}}) died. When last seen, at {{value}}, {{value}} of its charges were not in the database. Bring its DATA_DIR back, or acknowledge the loss with: sluice journal acknowledge {{value}}",
    zh: "进程 {{value}}（{{value}}）已异常退出。最后一次在线为 {{value}}，当时有 {{value}} 条计费尚未写入数据库。请恢复它的 DATA_DIR；若无法恢复，请执行 sluice journal acknowledge {{value}} 确认损失。",
  },
  values: [processId, location, new Date(lastSeenAt * 1000).toISOString(), unwritten, processId],
});
