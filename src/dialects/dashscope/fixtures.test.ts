import { testAnswers } from "../testing-samples.ts";
import { dashscopeProvider } from "./index.ts";

testAnswers(dashscopeProvider, { streams: (path) => /^dashscope.native.*\.sse$/.test(path) });
