import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Col } from "../../../components/layout.tsx";
import TextDiff from "../../../components/page/answers/TextDiff.tsx";
import { useSession } from "../../../state/session.ts";
import { hasRight } from "../../../state/stored-user.ts";
import type { ToolView } from "./mcp-calls.ts";
import { TryTool } from "./TryTool.tsx";

/** Characters that are not seen, and can give orders to a model all the same. */
const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}]|(?![\n\t])\p{Cc}/gu;

/** A description with what is not seen written out. */
const visible = (text: string): string =>
  text.replace(
    INVISIBLE,
    (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );

const textOf = (tool: NonNullable<ToolView["offered"]>): string => {
  const { description, ...rest } = tool;
  return visible(`${description ?? ""}\n\n${JSON.stringify(rest, null, 2)}`);
};

type ToolDetailProps = Readonly<{ serverId: number; tool: ToolView }>;

/** What a tool says to models: as it was approved and as it is offered now. */
export const ToolDetail = ({ serverId, tool: { state, offered, approved } }: ToolDetailProps) => {
  const { t } = useTranslation();
  const canTry = hasRight(useSession().user, "models:act") && state === "approved" && approved !== null;
  const shown = offered ?? approved;
  if (!shown) return null;
  const isChanged = state === "changed" && offered !== null && approved !== null;
  const [before, after] = isChanged ? [textOf(approved), textOf(offered)] : ["", textOf(shown)];
  return (
    <Col gap={3} sx={{ py: 2 }}>
      {isChanged && (
        <KeyValue
          items={[
            [
              t("mcp.tools.before"),
              <Box key="before" sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
                <TextDiff before={before} after={after} shows="before" />
              </Box>,
            ],
          ]}
        />
      )}
      <CodeBox
        code={after}
        label={t("mcp.tools.description")}
        sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
      >
        {isChanged ? <TextDiff before={before} after={after} shows="after" /> : after}
      </CodeBox>
      {canTry && <TryTool serverId={serverId} tool={approved} />}
    </Col>
  );
};
