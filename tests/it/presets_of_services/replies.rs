//! Replies of services, of our own writing after what each documents.

use llm_council::llm::ErrorKind::{self, Auth, ContextTooLong, Overloaded, RateLimited, Refused};

/// What is to be read of an answer.
pub struct Read {
    pub text: &'static str,
    pub reasoning: Option<&'static str>,
    pub citations: &'static [&'static str],
    pub tools: &'static [&'static str],
    pub total_tokens: Option<u64>,
}

impl Read {
    const READY: Self =
        Self { text: "Ready.", reasoning: None, citations: &[], tools: &[], total_tokens: Some(12) };
}

/// One service.
pub struct Service {
    pub preset: &'static str,
    pub model: &'static str,
    pub takes_temperature: bool,
    /// An answer in one piece, and as a stream; both say the same.
    pub whole: &'static str,
    pub stream: &'static str,
    pub read: Read,
    /// Status, body, what it is taken for, words that are shown. `{key}` is the key.
    pub errors: &'static [(u16, &'static str, ErrorKind, &'static str)],
    /// Its list of models, and the ids that are read of it.
    pub list: (&'static str, &'static [&'static str]),
}

const WHOLE: &str = r#"{"id": "c-1", "object": "chat.completion", "model": "m", "choices": [{"index": 0,
    "message": {"role": "assistant", "content": "Ready.", "refusal": null}, "logprobs": null, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}"#;

/// The usage comes in a piece of its own, as `stream_options` asks for it.
const STREAM: &str = concat!(
    r#"data: {"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
    "\n\n",
    r#"data: {"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Rea"},"finish_reason":null}],"usage":null}"#,
    "\n\n",
    r#"data: {"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"dy."},"finish_reason":null}],"usage":null}"#,
    "\n\n",
    r#"data: {"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#,
    "\n\n",
    r#"data: {"id":"c-1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
    "\n\n",
    "data: [DONE]\n\n",
);

/// The last piece has the usage, and nothing asked for it.
const STREAM_WITH_USAGE_AT_THE_END: &str = concat!(
    r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
    "\n\n",
    r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"content":"Ready."},"finish_reason":null}]}"#,
    "\n\n",
    r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3}}"#,
    "\n\n",
    "data: [DONE]\n\n",
);

const THOUGHT: &str = r#"{"id": "c-1", "choices": [{"index": 0, "message": {"role": "assistant",
    "reasoning_content": "A word.", "content": "Ready."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}"#;
const THOUGHT_STREAM: &str = concat!(
    r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"A word."}}]}"#,
    "\n\n",
    r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"content":"Ready.","reasoning_content":null}}]}"#,
    "\n\n",
    r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
    "\n\n",
    "data: [DONE]\n\n",
);
const THINKING: Read = Read { reasoning: Some("A word."), ..Read::READY };

const LIST: (&str, &[&str]) =
    (r#"{"object": "list", "data": [{"id": "m", "object": "model", "owned_by": "us"}]}"#, &["m"]);
const NO_LIST: (&str, &[&str]) = (r#"{"data": [{"id": "never asked"}]}"#, &[]);

/// As `OpenAI` says it, and most after it.
const WRONG_KEY: (u16, &str, ErrorKind, &str) = (
    401,
    r#"{"error": {"message": "Incorrect API key provided: {key}.", "type": "invalid_request_error", "param": null, "code": "invalid_api_key"}}"#,
    Auth,
    "Incorrect API key",
);
const TOO_MANY: (u16, &str, ErrorKind, &str) = (
    429,
    r#"{"error": {"message": "Rate limit reached for m.", "type": "requests", "code": "rate_limit_exceeded"}}"#,
    RateLimited,
    "Rate limit reached",
);
const GONE: (u16, &str, ErrorKind, &str) = (
    404,
    r#"{"error": {"message": "The model m does not exist or you do not have access to it.", "type": "invalid_request_error", "code": "model_not_found"}}"#,
    Refused,
    "may be retired or misspelt",
);

pub const SERVICES: &[Service] = &[
    Service {
        preset: "anthropic",
        model: "claude-sonnet-4-5",
        takes_temperature: true,
        whole: WHOLE,
        stream: STREAM,
        read: Read::READY,
        errors: &[
            (
                401,
                r#"{"error": {"code": "authentication_error", "message": "invalid x-api-key: {key}", "type": "authentication_error", "param": null}}"#,
                Auth,
                "invalid x-api-key",
            ),
            (
                529,
                r#"{"error": {"code": "overloaded_error", "message": "Overloaded", "type": "overloaded_error"}}"#,
                Overloaded,
                "Overloaded",
            ),
        ],
        list: (
            r#"{"data": [{"type": "model", "id": "claude-sonnet-4-5", "display_name": "Claude Sonnet 4.5", "created_at": "2025-09-29T00:00:00Z"}], "has_more": false, "first_id": "claude-sonnet-4-5"}"#,
            &["claude-sonnet-4-5"],
        ),
    },
    Service {
        preset: "azure",
        model: "our-gpt-4.1",
        takes_temperature: true,
        // Filters of content stand beside the choices; the first piece of a stream has none.
        whole: r#"{"id": "c-1", "object": "chat.completion", "model": "gpt-4.1-2025-04-14", "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": false, "severity": "safe"}}}],
            "choices": [{"index": 0, "content_filter_results": {}, "message": {"role": "assistant", "content": "Ready."}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}"#,
        stream: concat!(
            r#"data: {"id":"","object":"","created":0,"model":"","choices":[],"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}"#,
            "\n\n",
            r#"data: {"id":"c-1","model":"gpt-4.1-2025-04-14","choices":[{"index":0,"delta":{"role":"assistant","content":"Ready."},"content_filter_results":{},"finish_reason":null}]}"#,
            "\n\n",
            r#"data: {"id":"c-1","model":"gpt-4.1-2025-04-14","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#,
            "\n\n",
            r#"data: {"id":"c-1","model":"gpt-4.1-2025-04-14","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
            "\n\n",
            "data: [DONE]\n\n",
        ),
        read: Read::READY,
        errors: &[
            (
                401,
                r#"{"error": {"code": "401", "message": "Access denied due to invalid subscription key or wrong API endpoint."}}"#,
                Auth,
                "Access denied",
            ),
            (
                404,
                r#"{"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}}"#,
                Refused,
                "does not exist",
            ),
            (
                400,
                r#"{"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}}"#,
                ContextTooLong,
                "does not fit",
            ),
            (
                400,
                r#"{"error": {"message": "The response was filtered.", "code": "content_filter", "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}"#,
                Refused,
                "was filtered",
            ),
        ],
        list: NO_LIST,
    },
    Service {
        preset: "deepseek",
        model: "deepseek-reasoner",
        takes_temperature: true,
        whole: THOUGHT,
        stream: THOUGHT_STREAM,
        read: THINKING,
        errors: &[
            (
                401,
                r#"{"error": {"message": "Authentication Fails, Your api key: ****6789 is invalid", "type": "authentication_error"}}"#,
                Auth,
                "Authentication Fails",
            ),
            (
                402,
                r#"{"error": {"message": "Insufficient Balance", "type": "unknown_error", "code": "invalid_request_error"}}"#,
                RateLimited,
                "no credit left",
            ),
        ],
        list: LIST,
    },
    Service {
        preset: "fireworks",
        model: "accounts/fireworks/models/kimi-k2",
        takes_temperature: true,
        whole: WHOLE,
        stream: STREAM_WITH_USAGE_AT_THE_END,
        read: Read::READY,
        errors: &[
            (
                401,
                r#"{"error": {"object": "error", "type": "invalid_request_error", "message": "The API key you provided is invalid."}}"#,
                Auth,
                "is invalid",
            ),
            GONE,
        ],
        list: LIST,
    },
    Service {
        preset: "google",
        model: "gemini-2.5-pro",
        takes_temperature: true,
        // A call of a tool comes whole, with `stop`. Only the total counts the thoughts.
        whole: r#"{"choices": [{"finish_reason": "stop", "index": 0, "message": {"content": "", "role": "assistant", "tool_calls": [{"function": {"arguments": "{\"query\":\"x\"}", "name": "search_web"}, "id": "", "type": "function"}]}}],
            "model": "gemini-2.5-pro", "object": "chat.completion", "usage": {"completion_tokens": 1, "prompt_tokens": 9, "total_tokens": 12}}"#,
        stream: concat!(
            r#"data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"function":{"arguments":"{\"query\":\"x\"}","name":"search_web"},"id":"","index":0,"type":"function"}]},"finish_reason":"stop","index":0}],"model":"gemini-2.5-pro","usage":{"completion_tokens":1,"prompt_tokens":9,"total_tokens":12}}"#,
            "\n\n",
            "data: [DONE]\n\n",
        ),
        read: Read { text: "", tools: &["search_web"], ..Read::READY },
        errors: &[
            (
                400,
                r#"[{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}]"#,
                Auth,
                "API key not valid",
            ),
            (
                429,
                r#"[{"error": {"code": 429, "message": "You exceeded your current quota.", "status": "RESOURCE_EXHAUSTED"}}]"#,
                RateLimited,
                "exceeded your current quota",
            ),
            (
                503,
                r#"[{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}]"#,
                Overloaded,
                "is overloaded",
            ),
        ],
        list: (
            r#"{"object": "list", "data": [{"id": "models/gemini-2.5-pro", "object": "model", "owned_by": "google"}]}"#,
            &["models/gemini-2.5-pro"],
        ),
    },
    Service {
        preset: "groq",
        model: "openai/gpt-oss-120b",
        takes_temperature: true,
        whole: WHOLE,
        stream: concat!(
            r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"x_groq":{"id":"req-1"}}"#,
            "\n\n",
            r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"content":"Ready."},"finish_reason":null}]}"#,
            "\n\n",
            r#"data: {"id":"c-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req-1","usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}}"#,
            "\n\n",
            r#"data: {"id":"c-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
            "\n\n",
            "data: [DONE]\n\n",
        ),
        read: Read::READY,
        errors: &[
            WRONG_KEY,
            TOO_MANY,
            (
                413,
                r#"{"error": {"message": "Request too large for model m.", "type": "tokens", "code": "rate_limit_exceeded"}}"#,
                ContextTooLong,
                "does not fit",
            ),
        ],
        list: (
            r#"{"object": "list", "data": [{"id": "openai/gpt-oss-120b", "object": "model", "active": true, "context_window": 131072}, {"id": "old", "active": false}]}"#,
            &["openai/gpt-oss-120b"],
        ),
    },
    Service {
        preset: "mistral",
        model: "mistral-large-latest",
        takes_temperature: true,
        whole: WHOLE,
        stream: STREAM_WITH_USAGE_AT_THE_END,
        read: Read::READY,
        errors: &[
            (401, r#"{"message": "Unauthorized", "request_id": "a580"}"#, Auth, "Unauthorized"),
            (
                422,
                r#"{"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted", "input": true}]}, "type": "invalid_request_error", "code": null}"#,
                Refused,
                "Extra inputs are not permitted",
            ),
        ],
        list: (
            r#"{"object": "list", "data": [{"id": "mistral-large-latest", "object": "model", "max_context_length": 131072, "deprecation": null}]}"#,
            &["mistral-large-latest"],
        ),
    },
    Service {
        preset: "openai",
        model: "gpt-4.1",
        takes_temperature: true,
        whole: WHOLE,
        stream: STREAM,
        read: Read::READY,
        errors: &[
            WRONG_KEY,
            TOO_MANY,
            GONE,
            (
                429,
                r#"{"error": {"message": "You exceeded your current quota, please check your plan.", "type": "insufficient_quota", "code": "insufficient_quota"}}"#,
                RateLimited,
                "current quota",
            ),
        ],
        list: LIST,
    },
    Service {
        preset: "perplexity",
        model: "sonar-pro",
        takes_temperature: true,
        whole: r#"{"id": "c-1", "model": "sonar-pro", "object": "chat.completion", "citations": ["https://b.example/2", "https://a.example/1"],
            "search_results": [{"title": "B", "url": "https://b.example/2", "date": "2026-10-01"}, {"title": "A", "url": "https://a.example/1", "date": null}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "search_context_size": "low", "cost": {"total_cost": 0.006}},
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Ready.[1]"}, "delta": {"role": "assistant", "content": ""}}]}"#,
        // Each piece repeats the sources, and the whole message beside the delta; there is no `[DONE]`.
        stream: concat!(
            r#"data: {"id":"c-1","model":"sonar-pro","citations":["https://b.example/2","https://a.example/1"],"choices":[{"index":0,"finish_reason":null,"message":{"role":"assistant","content":"Ready."},"delta":{"role":"assistant","content":"Ready."}}]}"#,
            "\r\n\r\n",
            r#"data: {"id":"c-1","model":"sonar-pro","citations":["https://b.example/2","https://a.example/1"],"search_results":[{"title":"B","url":"https://b.example/2"},{"title":"A","url":"https://a.example/1"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Ready.[1]"},"delta":{"role":"assistant","content":"[1]"}}]}"#,
            "\r\n\r\n",
        ),
        read: Read {
            text: "Ready.[1]",
            citations: &["https://b.example/2", "https://a.example/1"],
            ..Read::READY
        },
        errors: &[
            (
                401,
                "<html><head><title>401 Authorization Required</title></head></html>",
                Auth,
                "Authorization Required",
            ),
            (
                400,
                r#"{"error": {"message": "Invalid model 'sonar-old'.", "type": "invalid_model", "code": 400}}"#,
                Refused,
                "Invalid model",
            ),
        ],
        list: (r#"{"data": []}"#, &["sonar", "sonar-pro", "sonar-reasoning-pro", "sonar-deep-research"]),
    },
    Service {
        preset: "straico",
        model: "openai/gpt-4.1",
        takes_temperature: true,
        // Prices are in coins, which are no dollars.
        whole: r#"{"id": "c-1", "object": "chat.completion", "model": "openai/gpt-4.1", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ready."}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}, "price": {"input": 0.1, "output": 0.2, "total": 0.3}, "words": {"input": 3, "output": 1, "total": 4}}"#,
        stream: "",
        read: Read::READY,
        errors: &[
            (401, r#"{"error": "Invalid API key", "success": false}"#, Auth, "Invalid API key"),
            (402, r#"{"error": "Insufficient coins", "success": false}"#, RateLimited, "Insufficient coins"),
            (
                422,
                r#"{"error": {"message": "The model x is not available"}, "success": false}"#,
                Refused,
                "is not available",
            ),
        ],
        list: (
            r#"{"data": [{"name": "OpenAI: GPT-4.1", "model": "openai/gpt-4.1", "pricing": {"coins": 3, "words": 100}, "max_output": 32768, "model_type": "chat"},
                {"name": "A painter", "model": "paint/er", "model_type": "image"}], "success": true}"#,
            &["openai/gpt-4.1"],
        ),
    },
    Service {
        preset: "together",
        model: "meta-llama/Llama-4-Maverick",
        takes_temperature: true,
        whole: WHOLE,
        stream: STREAM_WITH_USAGE_AT_THE_END,
        read: Read::READY,
        errors: &[WRONG_KEY, TOO_MANY],
        list: (
            r#"[{"id": "meta-llama/Llama-4-Maverick", "object": "model", "type": "chat", "context_length": 1048576}, {"id": "x/painter", "type": "image"}]"#,
            &["meta-llama/Llama-4-Maverick"],
        ),
    },
    Service {
        preset: "xai",
        model: "grok-4",
        takes_temperature: true,
        // The thoughts are not counted among the tokens of the completion.
        whole: r#"{"id": "c-1", "choices": [{"index": 0, "message": {"role": "assistant",
            "reasoning_content": "A word.", "content": "Ready.", "refusal": null}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 12, "completion_tokens_details": {"reasoning_tokens": 2}}}"#,
        stream: concat!(
            r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"A word."}}]}"#,
            "\n\n",
            r#"data: {"id":"c-1","choices":[{"index":0,"delta":{"content":"Ready."},"finish_reason":"stop"}]}"#,
            "\n\n",
            r#"data: {"id":"c-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":2}}}"#,
            "\n\n",
            "data: [DONE]\n\n",
        ),
        read: THINKING,
        errors: &[
            (
                400,
                r#"{"code": "Client specified an invalid argument", "error": "Incorrect API key provided: {key}."}"#,
                Auth,
                "Incorrect API key",
            ),
            TOO_MANY,
        ],
        list: LIST,
    },
    Service {
        preset: "litellm",
        model: "team-gpt",
        takes_temperature: true,
        whole: WHOLE,
        stream: STREAM,
        read: Read::READY,
        errors: &[
            (
                401,
                r#"{"error": {"message": "Authentication Error, Invalid proxy server token passed.", "type": "token_not_found_in_db", "param": "key", "code": "401"}}"#,
                Auth,
                "Authentication Error",
            ),
            (
                400,
                r#"{"error": {"message": "/chat/completions: Invalid model name passed in model=m.", "type": "None", "param": "None", "code": "400"}}"#,
                Refused,
                "Invalid model name",
            ),
        ],
        list: LIST,
    },
    Service {
        preset: "llamacpp",
        model: "local",
        takes_temperature: true,
        whole: THOUGHT,
        stream: THOUGHT_STREAM,
        read: THINKING,
        errors: &[
            (
                503,
                r#"{"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}"#,
                Overloaded,
                "Loading model",
            ),
            (
                400,
                r#"{"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096}}"#,
                ContextTooLong,
                "n_ctx 4096",
            ),
        ],
        list: (
            r#"{"object": "list", "data": [{"id": "local", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}], "models": [{"name": "local"}]}"#,
            &["local"],
        ),
    },
    Service {
        preset: "lmstudio",
        model: "qwen3-8b",
        takes_temperature: true,
        whole: WHOLE,
        stream: STREAM,
        read: Read::READY,
        errors: &[(
            404,
            r#"{"error": {"message": "Failed to load model.", "type": "invalid_request_error", "code": "model_not_found"}}"#,
            Refused,
            "Failed to load model",
        )],
        list: LIST,
    },
    Service {
        preset: "ollama",
        model: "llama3:8b",
        takes_temperature: true,
        whole: r#"{"id": "c-1", "object": "chat.completion", "model": "llama3:8b", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ready.", "reasoning": "A word."}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}"#,
        stream: concat!(
            r#"data: {"id":"c-1","model":"llama3:8b","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"A word."},"finish_reason":null}]}"#,
            "\n\n",
            r#"data: {"id":"c-1","model":"llama3:8b","choices":[{"index":0,"delta":{"role":"assistant","content":"Ready."},"finish_reason":null}]}"#,
            "\n\n",
            r#"data: {"id":"c-1","model":"llama3:8b","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}"#,
            "\n\n",
            r#"data: {"id":"c-1","model":"llama3:8b","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
            "\n\n",
            "data: [DONE]\n\n",
        ),
        read: THINKING,
        errors: &[(
            404,
            r#"{"error": {"message": "model \"llama3:8b\" not found, try pulling it first", "type": "api_error", "param": null, "code": null}}"#,
            Refused,
            "try pulling it first",
        )],
        list: (
            r#"{"object": "list", "data": [{"id": "llama3:8b", "object": "model", "created": 1, "owned_by": "library"}]}"#,
            &["llama3:8b"],
        ),
    },
    Service {
        preset: "vllm",
        model: "Qwen/Qwen3-8B",
        takes_temperature: true,
        whole: THOUGHT,
        stream: THOUGHT_STREAM,
        read: THINKING,
        errors: &[
            (401, r#"{"error": "Unauthorized"}"#, Auth, "Unauthorized"),
            (
                400,
                r#"{"error": {"message": "This model's maximum context length is 4096 tokens. However, you requested 9000.", "type": "BadRequestError", "param": null, "code": 400}}"#,
                ContextTooLong,
                "does not fit",
            ),
            (
                404,
                r#"{"error": {"message": "The model `m` does not exist.", "type": "NotFoundError", "code": 404}}"#,
                Refused,
                "does not exist",
            ),
        ],
        list: (
            r#"{"object": "list", "data": [{"id": "Qwen/Qwen3-8B", "object": "model", "max_model_len": 40960, "permission": []}]}"#,
            &["Qwen/Qwen3-8B"],
        ),
    },
];
