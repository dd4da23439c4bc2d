import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../../api/client.ts";
import { storedChatApi } from "../../../api/groups.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Col } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { formatNumber, roundTo } from "../../../lib/format/number.ts";
import { type ChatSummary, moveChats } from "./chat-store.ts";
import { SERVER_STORE } from "./server-store.ts";
import { chatsQuery, historyQuery, type Playground } from "./use-playground.ts";

const SECOND_MS = 1000;
const MEGABYTE = 1_048_576;

type Props = Readonly<{ playground: Playground; userId: number; onClose: () => void }>;

/** The user's chats by name, found by what was written in them, and where they are stored. */
export const HistoryDialog = ({ playground, userId, onClose }: Props) => {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { store, device, chat } = playground;
  const [search, setSearch] = useState("");
  const words = useDeferredValue(search);
  const list = useQuery({
    queryKey: [...chatsQuery(userId), store.place, words],
    queryFn: () => store.list(words),
    placeholderData: keepPreviousData,
  });
  const history = useQuery(historyQuery(userId)).data;
  const reload = () =>
    Promise.all(
      [chatsQuery(userId), historyQuery(userId).queryKey].map((queryKey) => cache.invalidateQueries({ queryKey })),
    );
  const act = useAction(reload);
  const remove = ({ id, title }: ChatSummary) =>
    act({
      question: {
        title: t("playground.delete.title"),
        body: t("playground.delete.body", { name: title || t("playground.untitled") }),
        action: t("playground.delete.action"),
        isDangerous: true,
      },
      work: () => playground.remove(id),
    });
  const moveTo = (isOnServer: boolean) =>
    act({
      work: async () => {
        if (isOnServer) {
          await readData(storedChatApi.history.put({ enabled: true }));
          await moveChats(device, SERVER_STORE);
        } else {
          await moveChats(SERVER_STORE, device);
          await readData(storedChatApi.history.put({ enabled: false }));
        }
      },
    });
  return (
    <ViewDialog title={t("playground.history.title")} width="sm" onClose={onClose}>
      <Col gap={3} sx={{ pt: 2 }}>
        <OutlinedInput
          autoFocus
          fullWidth
          value={search}
          placeholder={t("playground.history.search")}
          onChange={(event) => setSearch(event.target.value)}
          inputProps={{ "aria-label": t("playground.history.search") }}
        />
        {list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Box
            component="ul"
            aria-label={t("playground.history.title")}
            sx={{ listStyle: "none", m: 0, p: 0, maxHeight: 360, overflowY: "auto" }}
          >
            {(list.data ?? []).map((one) => (
              <Box
                key={one.id}
                component="li"
                sx={{
                  ...{ display: "flex", alignItems: "center", minWidth: 0, gap: 1 },
                  ...{ borderBottom: "1px solid", borderColor: "line.faint" },
                }}
              >
                <Button
                  variant="text"
                  aria-current={one.id === chat.id}
                  onClick={() => {
                    void playground.choose(one.id);
                    onClose();
                  }}
                  sx={{
                    flex: 1,
                    minWidth: 0,
                    justifyContent: "flex-start",
                    textAlign: "left",
                    fontWeight: one.id === chat.id ? 600 : 400,
                  }}
                >
                  <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
                    {one.title || t("playground.untitled")}
                  </Box>
                </Button>
                <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
                  <TimeAgo seconds={one.updatedMs / SECOND_MS} />
                </Box>
                <Tip title={t("playground.delete.action")}>
                  <IconButton
                    aria-label={t("playground.delete.named", { name: one.title || t("playground.untitled") })}
                    onClick={() => void remove(one)}
                  >
                    <Delete />
                  </IconButton>
                </Tip>
              </Box>
            ))}
          </Box>
        )}
        {list.data?.length === 0 && (
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>
            {words ? t("playground.history.none") : t("playground.history.empty")}
          </Box>
        )}
        {history && history.limitBytes > 0 && (
          <SwitchRow
            label={t("playground.history.onServer")}
            hint={
              history.isOnServer
                ? t("playground.history.used", {
                    used: megabytes(history.usedBytes),
                    limit: megabytes(history.limitBytes),
                  })
                : t("playground.history.onDevice")
            }
            isOn={history.isOnServer}
            onChange={(isOn) => void moveTo(isOn)}
          />
        )}
      </Col>
    </ViewDialog>
  );
};

const megabytes = (bytes: number): string => formatNumber(roundTo(bytes / MEGABYTE, 1));
