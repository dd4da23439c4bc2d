import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../components/feedback/notify.tsx";
import { readUser } from "../../state/stored-user.ts";
import { chatsKey } from "../../state/user-storage.ts";
import { type Answer, bodyOf, branchOf, type Chat, emptyAnswer, newChat, type Turn, withAnswer } from "./chat/chat.ts";
import { sendChat } from "./chat/send-chat.ts";

const SAVE_DELAY_MS = 400;
const TITLE_LENGTH = 40;

/** Placeholder for a model added after the question. */
const unasked = (model: string): Answer => ({ ...emptyAnswer(model), status: "complete" });

/** The user's chats on this device, and the actions on the open one. */
export function usePlayground(userId: number) {
  const { t } = useTranslation();
  const [read] = useState(() => readChats(userId));
  const [chats, setChats] = useState<readonly Chat[]>(() => read ?? [newChat()]);
  const [openId, setOpenId] = useState(() => chats[0]?.id ?? "");
  const [running, setRunning] = useState(0);
  const stopper = useRef<AbortController | null>(null);
  const chat = chats.find(({ id }) => id === openId) ?? chats[0] ?? newChat();

  useEffect(() => {
    if (read === null) notifyError(new Error(t("playground.unreadable")));
  }, [read, t]);
  useEffect(() => {
    const timer = setTimeout(() => {
      // Who signed out meanwhile leaves nothing behind.
      if (readUser()?.id !== userId) return;
      if (!saveChats(userId, chats)) notifyError(new Error(t("playground.noRoom")));
    }, SAVE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [chats, userId, t]);
  useEffect(() => () => stopper.current?.abort(), []);

  const change = useCallback(
    (id: string, next: (chat: Chat) => Chat) =>
      setChats((all) => all.map((candidate) => (candidate.id === id ? next(candidate) : candidate))),
    [],
  );
  /** Requests the answers to the last turn from each model. */
  const run = (turns: readonly Turn[], lanes: readonly number[]) => {
    const last = turns.at(-1);
    if (!last) return;
    const abort = new AbortController();
    stopper.current?.abort();
    stopper.current = abort;
    const { id, settings } = chat;
    change(id, (now) => ({ ...now, title: now.title || last.text.slice(0, TITLE_LENGTH), turns }));
    setRunning(lanes.length);
    for (const lane of lanes) {
      const showAnswer = (answer: Answer) => change(id, (now) => withAnswer(now, last.id, lane, () => answer));
      void sendChat(bodyOf(settings, turns, lane), showAnswer, abort.signal).finally(() => {
        if (stopper.current === abort) setRunning((count) => count - 1);
      });
    }
  };
  const { models } = chat.settings;
  const before = (turnId: string) =>
    chat.turns.slice(
      0,
      chat.turns.findIndex(({ id }) => id === turnId),
    );
  const open = useCallback((next: Chat) => {
    stopper.current?.abort();
    setChats((all) => [next, ...all]);
    setOpenId(next.id);
  }, []);
  return {
    chats,
    chat,
    isRunning: running > 0,
    stop: () => stopper.current?.abort(),
    choose: (id: string) => {
      stopper.current?.abort();
      setOpenId(id);
    },
    open,
    add: () => open(newChat(chat.settings)),
    remove: (id: string) => {
      const left = chats.filter((candidate) => candidate.id !== id);
      const remaining = left.length > 0 ? left : [newChat(chat.settings)];
      stopper.current?.abort();
      setChats(remaining);
      setOpenId(remaining[0]?.id ?? "");
    },
    setSettings: (settings: Partial<Chat["settings"]>) =>
      change(chat.id, (now) => ({ ...now, settings: { ...now.settings, ...settings } })),
    clear: () => {
      stopper.current?.abort();
      change(chat.id, (now) => ({ ...now, turns: [], title: "" }));
    },
    branch: (turnId: string) => open(branchOf(chat, turnId)),
    /** Sends a question; editing an earlier turn drops everything after it. */
    ask: (text: string, images: readonly string[], replaces: string | null) => {
      const turn = { id: crypto.randomUUID(), text, images, answers: models.map(emptyAnswer) };
      run(
        [...(replaces ? before(replaces) : chat.turns), turn],
        models.map((_, lane) => lane),
      );
    },
    retry: (turn: Turn, lane: number) => {
      const model = models[lane];
      if (!model) return;
      const answers = models.map((name, index) =>
        index === lane ? emptyAnswer(model) : (turn.answers[index] ?? unasked(name)),
      );
      run([...before(turn.id), { ...turn, answers }], [lane]);
    },
  };
}

export type Playground = ReturnType<typeof usePlayground>;

const MOST_CHATS = 50;

/** The chats stored on this device, newest first; null if they can't be read. */
function readChats(userId: number): readonly Chat[] | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(chatsKey(userId)) ?? "[]");
    if (!Array.isArray(stored)) return null;
    const chats = stored.filter(isChat).map(withoutStreams);
    return chats.length > 0 ? chats : [newChat()];
  } catch {
    return null;
  }
}

/** Stores the chats on this device; false if there is no space. */
function saveChats(userId: number, chats: readonly Chat[]): boolean {
  try {
    localStorage.setItem(chatsKey(userId), JSON.stringify(chats.slice(0, MOST_CHATS)));
    return true;
  } catch {
    return false;
  }
}

const isChat = (value: unknown): value is Chat =>
  typeof value === "object" && value !== null && "turns" in value && "settings" in value && Array.isArray(value.turns);

/** Closing the page during an answer ends that answer. */
const withoutStreams = (chat: Chat): Chat => ({
  ...chat,
  turns: chat.turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) =>
      answer.status === "loading" || answer.status === "incomplete" ? { ...answer, status: "complete" } : answer,
    ),
  })),
});
