import Add from "@mui/icons-material/AddOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import IconButton from "@mui/material/IconButton";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../components/confirm.tsx";
import { Row } from "../../components/layout.tsx";
import type { Playground } from "./use-playground.ts";

/** The chats kept on this device: choose, begin, delete. */
export const ChatList = ({ playground }: { playground: Playground }) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const { chats, chat } = playground;
  const remove = async () => {
    const question = {
      title: t("playground.delete.title"),
      body: t("playground.delete.body"),
      action: t("playground.delete.action"),
      isDangerous: true,
    };
    if (chat.turns.length === 0 || (await confirm(question))) playground.remove(chat.id);
  };
  return (
    <Row gap={1}>
      <Select
        fullWidth
        value={chat.id}
        onChange={(event) => playground.choose(event.target.value)}
        SelectDisplayProps={{ "aria-label": t("playground.chats") }}
        sx={{ minWidth: 0 }}
      >
        {chats.map(({ id, title }) => (
          <MenuItem key={id} value={id}>
            {title || t("playground.untitled")}
          </MenuItem>
        ))}
      </Select>
      <Tooltip title={t("playground.newChat")}>
        <IconButton aria-label={t("playground.newChat")} onClick={playground.add}>
          <Add />
        </IconButton>
      </Tooltip>
      <Tooltip title={t("playground.delete.action")}>
        <IconButton aria-label={t("playground.delete.action")} onClick={remove}>
          <Delete />
        </IconButton>
      </Tooltip>
    </Row>
  );
};
