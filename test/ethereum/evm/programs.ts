/** Parts of programs that are written by hand. */
import type { Hex } from '../../../src/base/types.ts'

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
