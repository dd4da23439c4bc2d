import { CHAT, GEMINI, INTERACTIONS, MESSAGES, RESPONSES, type Rule } from "./rule.ts";

/** Citations and searches. */
export const SOURCES: readonly Rule[] = [
  {
    why: "Pages that OpenAI opened after a search are no searches",
    at: { [RESPONSES]: /^output\[web_search_call\]\.action\[(open_page|find_in_page)\]/ },
  },
  {
    why: "Interactions' results of a search have no pages; those that the answer cites arrive",
    at: { [RESPONSES]: /\.action\[search\]\.sources\.url$/ },
    clients: [INTERACTIONS],
  },
  {
    why: "A search without a query says nothing but that it was done",
    at: { [RESPONSES]: /^output\[web_search_call\]\.action\[search\]$/ },
  },
  {
    why: "Google's page of proposals for further searches, its proofs and what kind of search it was",
    at: {
      [INTERACTIONS]: /^steps\[google_search_(call\]\.(search_type|signature)|result\]\.(is_error|result|signature))/,
      [GEMINI]: /\.(searchEntryPoint\.renderedContent|googleMapsWidgetContextToken|googleSearchDynamicRetrievalScore)$/,
    },
  },
  {
    why: "How sure Google is of a source, which part of its words is shown there, and how to complain about it",
    at: { [GEMINI]: /\.(confidenceScores|renderedParts|partIndex|sourceFlaggingUris\.\w+)$/ },
  },
  {
    why: "A page's domain is in its address; its license, date, store and number are Google's",
    at: {
      [GEMINI]:
        /\.(web\.domain|image\.(domain|imageUri)|maps\.(placeId|text)|retrievedContext\.(documentName|fileSearchStore|mediaId|pageNumber|text)|license|publicationDate\.\w+)$/,
      [INTERACTIONS]: /\[place_citation\]\.place_id$/,
    },
  },
  {
    why: "A page that is cited twice at one place is one citation",
    at: { [GEMINI]: /groundingChunkIndices$/ },
    when: ({ body }) => JSON.stringify(body).split("groundingChunkIndices").length > 2,
  },
  {
    why: "The cited words stand in the answer at the positions that arrive",
    at: { [GEMINI]: /segment\.text$/ },
  },
  {
    why: "Queries in Google's images and a customer's documents, which are no web searches",
    at: { [GEMINI]: /\.(imageSearchQueries|retrievalQueries)$/ },
  },
  {
    why: "No format has citations in a summary of reasoning",
    at: { [INTERACTIONS]: /^steps\[thought\]\.summary\[text\]\.annotations/ },
  },
  {
    why: "Citations of documents of the request, which have no address: other formats cite addresses",
    at: {
      [MESSAGES]: /\.citations\[(char|page|content_block|search_result)_location\]/,
      [RESPONSES]: /\.annotations\[(container_file_citation|file_citation|file_path)\]/,
      [INTERACTIONS]: /\.annotations\[file_citation\]/,
      dify: /^metadata\.retriever_resources\./,
    },
  },
  {
    why: "Notes about a text as audio are no citations",
    at: { [INTERACTIONS]: /\.annotations\[(speech_metadata|word_info)\]/ },
  },
  {
    why: "Anthropic's proofs of what it found, which it needs back itself",
    at: { [MESSAGES]: /\.(encrypted_index|encrypted_content)$/ },
  },
  {
    why: "OpenAI's and Google's citations have no cited text",
    at: { [MESSAGES]: /\[web_search_result_location\]\.cited_text$/, cohere: /^message\.citations\.text$/ },
  },
  {
    why: "Anthropic's citations have no positions: they belong to the block that has them",
    at: {
      [CHAT]: /url_citation\.(start|end)_index$/,
      [RESPONSES]: /\[url_citation\]\.(start|end)_index$/,
      [GEMINI]: /(start|end|part)Index$|segment\.text$|groundingChunkIndices$/,
      [INTERACTIONS]: /\.(start|end)_index$/,
      cohere: /^message\.citations\.(start|end)$/,
    },
    clients: [MESSAGES],
  },
  {
    why: "OpenAI's sources are addresses, and when a page was new is Anthropic's own",
    at: { [MESSAGES]: /^content\[web_search_tool_result\]\.content\.(title|page_age)$/ },
    clients: [RESPONSES],
  },
  {
    why: "When a page was new is Anthropic's own",
    at: { [MESSAGES]: /^content\[web_search_tool_result\]\.content\.page_age$/ },
  },
  {
    why: "Interactions' results of a search have no pages; those that the answer cites arrive",
    at: { [MESSAGES]: /^content\[web_search_tool_result\]\.content\.(url|title)$/ },
    clients: [INTERACTIONS],
  },
  {
    why: "That a search failed shows in its state, where the format has one; why is Anthropic's own word",
    at: { [MESSAGES]: /^content\[web_search_tool_result\]\.content\[web_search_tool_result_error\]\.error_code$/ },
  },
  {
    why: "Chat shows no searches, but what they found and the answer cites",
    at: {
      [MESSAGES]: /^content\[(server_tool_use|web_search_tool_result)\]/,
      [RESPONSES]: /^output\[web_search_call\]/,
      [GEMINI]: /webSearchQueries$/,
      [INTERACTIONS]: /^steps\[google_search_(call|result)\]/,
    },
    clients: [CHAT],
  },
];
