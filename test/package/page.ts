/** What the trials in pages share: a page, its worker, and policies. */

/** Allows scripts of the origin, and WebAssembly. */
export const STRICT = "script-src 'self' 'wasm-unsafe-eval'"

/** Allows no WebAssembly either. */
export const STRICTEST = "script-src 'self'"

/** The page of a project, whose script is `main.js`. */
export const HTML = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>project</title><link rel="icon" href="data:,">
<script type="module" src="./main.js"></script></html>`

/** A worker that serves a chain to its page. */
export const CHAIN_WORKER = `
import { createChain } from 'preseal'
import { exposeChain } from 'preseal/worker'
exposeChain(createChain)`
