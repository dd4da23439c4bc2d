import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../../api/client.ts";
import { storedChatApi } from "../../../api/groups.ts";
import { notifyError } from "../../../components/feedback/notify.tsx";
import {
  type Answer,
  type Attachment,
  branchOf,
  type Chat,
  type ChatSettings,
  continued,
  emptyAnswer,
  hasResults,
  newChat,
  type Turn,
  withAnswer,
  withMocks,
} from "../chat/chat.ts";
import { bodyOf } from "../chat/chat-body.ts";
import { sendChat } from "../chat/send-chat.ts";
import type { ChatStore } from "./chat-store.ts";
import { deviceStore } from "./device-store.ts";
import { SERVER_STORE } from "./server-store.ts";

const SAVE_DELAY_MS = 400;
const TITLE_LENGTH = 40;
/** So that two mocks that call each other end. */
const MOST_STEPS = 20;

/** Placeholder for a model added after the question. */
const unasked = (model: string): Answer => ({ ...emptyAnswer(model), status: "complete" });

/** Lists of chats begin with this in the cache. */
export const chatsQuery = (userId: number) => ["playground-chats", userId] as const;

/** Where the user stores chats, and how much room there is on the server. */
export const historyQuery = (userId: number) => ({
  queryKey: ["playground-history", userId],
  queryFn: async () => {
    const { enabled, used_bytes, limit_bytes } = await readData(storedChatApi.chats.get({ query: {} }));
    return { isOnServer: enabled && limit_bytes > 0, usedBytes: used_bytes, limitBytes: limit_bytes };
  },
});

/** The open chat and the actions on it. The chat is null until it is known where the user stores chats. */
export function usePlayground(userId: number) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const history = useQuery(historyQuery(userId));
  const device = useMemo(() => deviceStore(userId), [userId]);
  const isKnown = history.data !== undefined || history.isError;
  const store: ChatStore = history.data?.isOnServer ? SERVER_STORE : device;
  const [chat, setChat] = useState<Chat | null>(null);
  const [running, setRunning] = useState(0);
  const stopper = useRef<AbortController | null>(null);
  const stop = useCallback(() => stopper.current?.abort(), []);
  const { flush, mark } = useSavedChat(store, chat, {
    onSaved: () => void cache.invalidateQueries({ queryKey: chatsQuery(userId) }),
    onError: (error) => {
      const isFull = error instanceof Error && error.name === "QuotaExceededError";
      notifyError(isFull ? new Error(t("playground.noRoom")) : error);
    },
  });
  const openNewest = useCallback(async (): Promise<Chat> => {
    const [newest] = await store.list("");
    const chat = newest ? await store.read(newest.id) : null;
    if (chat) mark(chat);
    return chat ?? newChat();
  }, [store, mark]);

  useEffect(() => {
    if (!isKnown) return;
    let isClosed = false;
    void openNewest().then(
      (newest) => !isClosed && setChat((now) => now ?? newest),
      () => {
        if (isClosed) return;
        setChat((now) => now ?? newChat());
        notifyError(new Error(t("playground.unreadable")));
      },
    );
    return () => {
      isClosed = true;
    };
  }, [isKnown, openNewest, t]);
  useEffect(() => stop, [stop]);

  const change = useCallback(
    (id: string, next: (chat: Chat) => Chat) => setChat((now) => (now?.id === id ? next(now) : now)),
    [],
  );
  const open = useCallback(
    (next: Chat) => {
      stop();
      flush();
      setChat(next);
    },
    [stop, flush],
  );
  /** Asks one model, and goes on by itself while mocks answer all of its calls. */
  const answer = async (
    id: string,
    settings: ChatSettings,
    turns: readonly Turn[],
    lane: number,
    signal: AbortSignal,
  ) => {
    const last = turns.at(-1);
    if (!last) return;
    let now = last.answers[lane] ?? emptyAnswer(settings.models[lane] ?? "");
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const requested = [...turns.slice(0, -1), { ...last, answers: last.answers.with(lane, now) }];
      const show = (answer: Answer) => change(id, (chat) => withAnswer(chat, last.id, lane, () => answer));
      const ended = withMocks(await sendChat(bodyOf(settings, requested, lane), now, show, signal), settings.mocks);
      show(ended);
      if (signal.aborted || !hasResults(ended)) return;
      now = continued(ended);
      show(now);
    }
  };
  /** Requests the answers to the last turn from each of these models. */
  const run = (turns: readonly Turn[], lanes: readonly number[], of = chat) => {
    const last = turns.at(-1);
    if (!of || !last) return;
    const abort = new AbortController();
    stop();
    stopper.current = abort;
    const { id, settings } = of;
    change(id, (now) => ({ ...now, title: now.title || last.text.slice(0, TITLE_LENGTH), turns }));
    setRunning(lanes.length);
    for (const lane of lanes) {
      void answer(id, settings, turns, lane, abort.signal).finally(() => {
        if (stopper.current === abort) setRunning((count) => count - 1);
      });
    }
  };
  if (!chat) return null;
  const { models } = chat.settings;
  const before = (turnId: string) =>
    chat.turns.slice(
      0,
      chat.turns.findIndex(({ id }) => id === turnId),
    );
  return {
    store,
    device,
    chat,
    isRunning: running > 0,
    stop,
    open,
    /** Opens a chat that another page prepared, and requests the answers that its last turn lacks. */
    begin: (next: Chat) => {
      open(next);
      const lanes = (next.turns.at(-1)?.answers ?? []).flatMap(({ status }, lane) =>
        status === "loading" ? [lane] : [],
      );
      if (lanes.length > 0) run(next.turns, lanes, next);
    },
    choose: async (id: string) => {
      flush();
      const chosen = await store.read(id).catch(() => null);
      if (!chosen) return notifyError(new Error(t("playground.unreadable")));
      mark(chosen);
      open(chosen);
    },
    add: () => chat.turns.length > 0 && open(newChat(chat.settings)),
    remove: async (id: string) => {
      await store.remove(id);
      if (id !== chat.id) return;
      stop();
      setChat(await openNewest());
    },
    rename: (title: string) => change(chat.id, (now) => ({ ...now, title })),
    setSettings: (settings: Partial<ChatSettings>) =>
      change(chat.id, (now) => ({ ...now, settings: { ...now.settings, ...settings } })),
    clear: () => {
      stop();
      change(chat.id, (now) => ({ ...now, turns: [], title: "" }));
    },
    branch: (turnId: string) => open(branchOf(chat, turnId)),
    /** Sends a question; editing an earlier turn drops everything after it. */
    ask: (text: string, attachments: readonly Attachment[], replaces: string | null) => {
      const turn = { id: crypto.randomUUID(), text, attachments, answers: models.map(emptyAnswer) };
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
    /** Continues an answer with the results of its calls. */
    answerCalls: (turn: Turn, lane: number, results: readonly string[]) => {
      const answer = turn.answers[lane];
      if (!answer) return;
      const tools = answer.tools.map((tool, index) => ({ ...tool, result: results[index] ?? "" }));
      run([...before(turn.id), { ...turn, answers: turn.answers.with(lane, continued({ ...answer, tools })) }], [lane]);
    },
  };
}

export type Playground = NonNullable<ReturnType<typeof usePlayground>>;

type Saving = Readonly<{
  /** Saves at once what waits for it. */
  flush: () => void;
  /** Notes that a chat is stored as it is. */
  mark: (chat: Chat) => void;
}>;

/** Saves the chat a moment after each change. A new one is saved with its first change, or with its questions. */
function useSavedChat(
  store: ChatStore,
  chat: Chat | null,
  handlers: Readonly<{ onError: (error: unknown) => void; onSaved: () => void }>,
): Saving {
  const pending = useRef<(() => void) | null>(null);
  const latest = useRef(handlers);
  latest.current = handlers;
  const known = useRef<Chat | null>(null);
  const flush = useCallback(() => {
    pending.current?.();
    pending.current = null;
  }, []);
  const mark = useCallback((stored: Chat) => {
    known.current = stored;
  }, []);
  useEffect(() => {
    if (!chat || known.current === chat) return;
    const isNew = known.current?.id !== chat.id;
    known.current = chat;
    if (isNew && chat.turns.length === 0) return;
    pending.current = () => {
      const { onSaved, onError } = latest.current;
      void store.save(chat).then(onSaved, onError);
    };
    const timer = setTimeout(flush, SAVE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [chat, store, flush]);
  useEffect(() => flush, [flush]);
  return useMemo(() => ({ flush, mark }), [flush, mark]);
}
