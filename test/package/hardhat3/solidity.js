/** The compiler by path: nothing is downloaded. */
import { createRequire } from 'node:module'

export const solidity = { version: '0.8.37', path: createRequire(import.meta.url).resolve('solc/soljson.js') }
