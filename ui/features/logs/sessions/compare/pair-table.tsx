import Button from "@mui/material/Button";
import { Money } from "../../../../components/display/Money.tsx";
import { Tag } from "../../../../components/display/Tag.tsx";
import { Row } from "../../../../components/layout.tsx";
import type { ListColumn } from "../../../../components/page/list/column-kinds.tsx";
import type { Figures } from "../../../../components/page/list/FigureTable.tsx";
import { formatDuration } from "../../../../lib/format/duration.ts";
import { formatShare } from "../../../../lib/format/number.ts";
import type { SessionCall, SessionView } from "../session-calls.ts";
import { differenceOf } from "../session-figures.ts";
import type { CallPair } from "./call-pairs.ts";

type Data = Readonly<{ session: SessionView; other: SessionView; onCompare: (pair: CallPair) => void }>;
type PairColumn = ListColumn<CallPair, Data>;

const cost = (side: "one" | "other"): PairColumn => ({
  ...{ key: `${side}Cost`, width: 112, align: "right", head: "sessions.columns.cost" },
  cell: ({ [side]: call }) => (call ? <Money quota={call.quota} decimals={6} /> : "–"),
});
const time = (side: "one" | "other"): PairColumn => ({
  ...{ key: `${side}Time`, width: 96, align: "right", head: "sessions.columns.duration" },
  cell: ({ [side]: call }) => <span className="num">{formatDuration(call?.elapsed_ms ?? null)}</span>,
});
const difference = (key: string, of: (call: SessionCall) => number): PairColumn => ({
  ...{ key, width: 96, align: "right", head: "sessions.columns.difference" },
  cell: ({ one, other }) => {
    const share = one && other ? differenceOf(of(one), of(other)) : null;
    return <span className="num">{share === null ? "–" : `${share > 0 ? "+" : ""}${formatShare(share)}`}</span>;
  },
});

/** Call by call, what two sessions cost and took. */
export const CALL_PAIRS: Figures<CallPair, Data> = {
  text: (name) => `sessions.pairs.${name}`,
  rowId: ({ id }) => id,
  rowName: ({ one, other }) => one?.model ?? other?.model ?? "",
  columns: [
    {
      key: "call",
      isTitle: true,
      cell: ({ one, other, agent, step }, { t }) => (
        <Row gap={1.5} sx={{ minWidth: 0 }}>
          <span style={{ overflow: "hidden", textOverflow: "ellipsis" }}>
            {one && other && one.model !== other.model ? `${one.model} → ${other.model}` : (one ?? other)?.model}
          </span>
          {agent !== "" && <Tag>{agent}</Tag>}
          {step !== "" && <Tag>{step}</Tag>}
          {!(one && other) && <Tag tone="warn">{t(`sessions.pairs.${one ? "onlyOne" : "onlyOther"}`)}</Tag>}
        </Row>
      ),
    },
    cost("one"),
    cost("other"),
    difference("costDifference", ({ quota }) => quota),
    time("one"),
    time("other"),
    difference("timeDifference", ({ elapsed_ms: elapsed }) => elapsed),
    {
      ...{ key: "answers", width: 184, align: "right" },
      cell: (pair, { t, data }) =>
        pair.one && pair.other ? (
          <Button size="small" onClick={() => data.onCompare(pair)}>
            {t("sessions.pairs.compare")}
          </Button>
        ) : (
          "–"
        ),
    },
  ],
};
