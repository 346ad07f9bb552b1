/** Parts of programs that are written by hand. */
import type { Address, Hex } from '../../../src/base/types.ts'

/** Bytes as hex without prefix. */
export type Code = string

/** PUSH of the shortest width. */
export function push(value: bigint | number): Code {
  const digits = BigInt(value).toString(16)
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`
  return (0x5f + hex.length / 2).toString(16) + hex
}

/** Copies `bytes` to memory from 0 on. */
export function toMemory(bytes: Code): Code {
  let code = ''
  for (let at = 0; at < bytes.length; at += 64) {
    code += `7f${bytes.slice(at, at + 64).padEnd(64, '0')}${push(at / 2)}52`
  }
  return code
}

/** Init code that runs `before` and deploys `runtime`. */
export function initCode(runtime: Code, before: Code = ''): Code {
  const size = runtime.length / 2
  const head = (offset: number) =>
    `${before}61${size.toString(16).padStart(4, '0')}80` +
    `61${offset.toString(16).padStart(4, '0')}6000396000f3`
  return head(head(0).length / 2) + runtime
}

/** Hex with prefix. */
export function hex(code: Code): Hex {
  return `0x${code}`
}

/** CALL without calldata, whose result is dropped; so are those of the calls below. */
export const call = (to: Address, value = 0, gas: Code = '5a'): Code =>
  `${push(0).repeat(4)}${push(value)}73${to.slice(2)}${gas}f150`
export const callCode = (to: Address, value: number): Code =>
  `${push(0).repeat(4)}${push(value)}73${to.slice(2)}5af250`
export const delegateCall = (to: Address): Code => `${push(0).repeat(4)}73${to.slice(2)}5af450`
export const staticCall = (to: Address): Code => `${push(0).repeat(4)}73${to.slice(2)}5afa50`
/** SELFDESTRUCT. */
export const selfDestruct = (to: Address): Code => `73${to.slice(2)}ff`
/** LOG1 with a topic and no data. */
export const log = (topic: number): Code => `${push(topic)}${push(0)}${push(0)}a1`
/** REVERT without data. */
export const REVERT = `${push(0)}${push(0)}fd`
/** CREATE, or CREATE2 if there is a salt. */
export const create = (init: Code, value: number, salt?: number): Code =>
  `${toMemory(init)}${salt === undefined ? '' : push(salt)}${push(init.length / 2)}${push(0)}${push(value)}` +
  (salt === undefined ? 'f0' : 'f5')
