/**
 * What each opcode and precompile costs with its largest operands: `npx tsx bench/opcodes.ts [--runs 7] [--only CREATE]`, from
 * the repository root. Processor time per gas, beside @ethereumjs in the same process, by turns. No code is compiled to
 * WebAssembly: code that runs for the first time is not.
 */
import { parseArgs } from 'node:util'
import { bls12_381 as bls } from '@noble/curves/bls12-381.js'
import { hexToBytes, toAddress } from '../src/base/bytes.ts'
import type { Address, Hex } from '../src/base/types.ts'
import { whenLoaded } from '../src/base/waiting.ts'
import { compilation } from '../src/ethereum/evm/engine/hotCode.ts'
import { OPCODES, type Opcode } from '../src/ethereum/evm/engine/opcodes.ts'
import { ALL_CHECKS, type Execution } from '../src/ethereum/evm/executor.ts'
import { activePrecompiles, type PrecompileName } from '../src/ethereum/evm/precompiles.ts'
import { createExecutor } from '../src/ethereum/evm/transition.ts'
import type { TxEnv } from '../src/ethereum/transaction.ts'
import { ENGINES } from '../test/conformance/engines.ts'
import { assemble, call } from '../test/ethereum/evm/engine/assembly.ts'
import { validInputs } from '../test/ethereum/evm/random/precompileInputs.ts'
import {
  createBench,
  createState,
  ETHER,
  SENDER,
  type StartingAccount,
  TARGET,
} from '../test/ethereum/evm/setup.ts'
import { forksUpTo } from '../test/forks.ts'
import { median } from './measure.ts'
import { alignColumns, formatValue } from './table.ts'

/** How much more processor time an opcode may take than @ethereumjs does. */
const MAX_RATIO = 5

const { values: args } = parseArgs({
  options: { runs: { type: 'string', default: '7' }, only: { type: 'string' } },
})

/** The gas of a program; large memory alone costs two million. */
const [GAS, MEMORY_GAS] = [4_000_000, 6_000_000] as const
const MEGABYTE = 2 ** 20
const CALLEE: Address = `0x${'dd'.repeat(20)}`
/** Code as long as it may be, which ends at once. */
const LARGEST_CODE: Hex = `0x00${'5b'.repeat(24_575)}`
const MAX = `0x${'ff'.repeat(32)}`
const LESS = `0x${'fe'.repeat(32)}`

/** A program that repeats instructions. */
interface Program {
  readonly name: string
  /** What is done once. */
  readonly before?: string
  /** What is repeated; it leaves the stack as it was. */
  readonly body: string
  readonly gas?: number
  readonly data?: Uint8Array
  /** The code of {@link CALLEE}. */
  readonly callee?: Hex
}

/** The programs of the opcodes whose largest operands are not words. */
const SPECIAL: Readonly<Record<string, Omit<Program, 'name'> | undefined>> = {
  STOP: { body: `${call('CALL', CALLEE)} POP`, callee: '0x00' },
  KECCAK256: large(`${MEGABYTE} 0 KECCAK256 POP`),
  CALLDATACOPY: large(`${MEGABYTE} 0 0 CALLDATACOPY`),
  CODECOPY: large(`${MEGABYTE} 0 0 CODECOPY`),
  EXTCODECOPY: large(`${MEGABYTE} 0 0 ${CALLEE} EXTCODECOPY`),
  RETURNDATACOPY: large(`${MEGABYTE} 0 0 RETURNDATACOPY`, `${call('CALL', CALLEE)} POP`, returning('RETURN')),
  MCOPY: large(`${MEGABYTE - 1} 1 0 MCOPY`),
  MLOAD: large(`${MEGABYTE - 32} MLOAD POP`),
  MSTORE: large(`${MAX} ${MEGABYTE - 32} MSTORE`),
  MSTORE8: large(`${MAX} ${MEGABYTE - 32} MSTORE8`),
  SSTORE: { body: `${MAX} 0 SSTORE ${LESS} 0 SSTORE` },
  SLOAD: { body: '0 SLOAD POP' },
  TSTORE: { body: `${MAX} 0 TSTORE` },
  JUMP: { body: '' },
  JUMPI: { body: '0 0 JUMPI' },
  CREATE: { ...large('49152 0 0 CREATE POP'), gas: MEMORY_GAS },
  CREATE2: { ...large('GAS 49152 0 0 CREATE2 POP'), gas: MEMORY_GAS },
  CALL: large(`${call('CALL', CALLEE, { input: [0, MEGABYTE] })} POP`),
  CALLCODE: large(`${call('CALLCODE', CALLEE, { input: [0, MEGABYTE] })} POP`),
  DELEGATECALL: large(`${call('DELEGATECALL', CALLEE, { input: [0, MEGABYTE] })} POP`),
  STATICCALL: large(`${call('STATICCALL', CALLEE, { input: [0, MEGABYTE] })} POP`),
  RETURN: { body: `${call('CALL', CALLEE)} POP`, callee: returning('RETURN', 4096) },
  REVERT: { body: `${call('CALL', CALLEE)} POP`, callee: returning('REVERT', 4096) },
  SELFDESTRUCT: { body: `${call('CALL', CALLEE)} POP`, callee: bytecodeOf('CALLER SELFDESTRUCT') },
  ...Object.fromEntries(
    [0, 1, 2, 3, 4].map((topics) => [
      `LOG${topics}`,
      { body: `${`${MAX} `.repeat(topics)} 65536 0 LOG${topics}`, gas: MEMORY_GAS },
    ]),
  ),
}

function bytecodeOf(source: string): Hex {
  return `0x${assemble(source)}`
}

/** Code that ends with a megabyte, or as much. */
function returning(name: 'RETURN' | 'REVERT', size = MEGABYTE): Hex {
  return bytecodeOf(`${size} 0 ${name}`)
}

/** A program with a megabyte of memory. */
function large(body: string, before = '', callee?: Hex): Omit<Program, 'name'> {
  return {
    before: `1 ${MEGABYTE - 1} MSTORE8 ${before}`,
    body,
    gas: MEMORY_GAS,
    data: new Uint8Array(MEGABYTE / 8),
    ...(callee && { callee }),
  }
}

/** The operands are words as large as they can be, or the address of an account with code. */
function programOf({ name, pops, pushes }: Opcode): Program {
  const special = SPECIAL[name]
  if (special !== undefined) return { name, ...special }
  if (name.startsWith('DUP')) return { name, before: `${MAX} `.repeat(pops), body: `${name} POP ` }
  if (name.startsWith('SWAP')) return { name, before: `${MAX} `.repeat(pops), body: `${name} ` }
  if (name.startsWith('PUSH')) {
    const size = Number(name.slice(4))
    return { name, body: size === 0 ? 'PUSH0 POP' : `0x${'ff'.repeat(size)} POP` }
  }
  const isOfAccount = ['BALANCE', 'EXTCODESIZE', 'EXTCODEHASH'].includes(name)
  const operands = isOfAccount
    ? CALLEE
    : Array.from({ length: pops }, (_, i) => (i === 0 ? LESS : MAX)).join(' ')
  return { name, body: `${operands} ${name} ${'POP '.repeat(pushes)}` }
}

const wide = (n: bigint) => n.toString(16).padStart(128, '0')
const repeated = (input: string, times: number) => input.repeat(times)
const lengths = [1024, 16, 1024].map((length) => length.toString(16).padStart(64, '0')).join('')

/** The largest inputs that a call of some million gas can pay for, if they are not the valid ones of tests. */
const INPUTS: Readonly<Partial<Record<PrecompileName, string>>> = {
  sha256: 'ab'.repeat(65_536),
  ripemd160: 'ab'.repeat(65_536),
  identity: 'ab'.repeat(65_536),
  modexp: `${lengths}${'ff'.repeat(2063)}fd`,
  blake2f: `000f4240${'ab'.repeat(208)}00`,
}

/** How often parts of the valid input are repeated. */
const REPEATED: Readonly<Partial<Record<PrecompileName, number>>> = {
  bn254Pairing: 4,
  bls12381G1Msm: 16,
  bls12381G2Msm: 16,
  bls12381Pairing: 4,
}

function precompileProgram([name, number]: ReturnType<typeof activePrecompiles>[number]): Program {
  const valid = validInputs(name).reduce((longest, one) => (one.length > longest.length ? one : longest))
  const input =
    INPUTS[name] ??
    (name === 'bls12381MapFpToG1' ? wide(bls.fields.Fp.ORDER - 1n) : repeated(valid, REPEATED[name] ?? 1))
  const data = hexToBytes(`0x${input}`)
  const to = toAddress(number)
  return {
    name,
    before: 'CALLDATASIZE 0 0 CALLDATACOPY',
    body: `${call('STATICCALL', to, { input: [0, data.length], output: [0, 0] })} POP`,
    gas: 12_000_000,
    data,
  }
}

/** The code of a program, which ends once half of its gas is used, so that all that it does has an effect. */
function codeOf({ before = '', body, gas }: Program): Hex {
  // What takes much gas is as good as alone in its loop.
  const times =
    gas === undefined && !body.includes('CALL') ? Math.floor(2_000 / Math.max(8, assemble(body).length)) : 1
  const head = assemble(before)
  const start = `0x${(head.length / 2).toString(16).padStart(4, '0')}`
  const least = Math.floor((gas ?? GAS) / 2)
  return `0x${head}${assemble(`JUMPDEST ${`${body} `.repeat(times)} ${least} GAS GT ${start} JUMPI`)}`
}

const { crypto, env } = await createBench('osaka')
const executors = { preseal: ENGINES['preseal']!(crypto), ethereumjs: ENGINES['ethereumjs']!(crypto) }
compilation.isRefused = true

/** Nanoseconds of processor time per gas. */
async function measure(engine: keyof typeof executors, program: Program): Promise<number> {
  const accounts: Record<Address, StartingAccount> = {
    [SENDER]: { balance: ETHER },
    [TARGET]: { balance: ETHER, code: codeOf(program), storage: { 0: 1n } },
    [CALLEE]: { balance: 1n, code: program.callee ?? LARGEST_CODE },
  }
  const tx: TxEnv = {
    type: 2,
    from: SENDER,
    to: TARGET,
    nonce: 0n,
    value: 0n,
    data: program.data ?? new Uint8Array(0),
    gasLimit: BigInt(program.gas ?? GAS),
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
  }
  const execution: Execution = {
    tx,
    env,
    state: createState(accounts, crypto),
    checks: { ...ALL_CHECKS, gasLimit: false },
  }
  const executor = createExecutor(executors[engine], crypto)
  const before = process.cpuUsage()
  const { outcome } = await whenLoaded(() => executor.execute(execution))
  const { user, system } = process.cpuUsage(before)
  if (outcome.kind === 'rejected') throw outcome.error
  if (outcome.error !== undefined) throw new Error(`${program.name}: ${outcome.error} by ${engine}`)
  return (1_000 * (user + system)) / Number(outcome.gasUsed)
}

const programs = [
  ...OPCODES.map(programOf),
  ...activePrecompiles(forksUpTo('osaka')).map(precompileProgram),
].filter(({ name }) => args.only === undefined || name.toLowerCase().startsWith(args.only.toLowerCase()))
const rows: string[][] = []
const missed: string[] = []
for (const program of programs) {
  const figures = { preseal: [] as number[], ethereumjs: [] as number[] }
  // The first run of each is its warm-up.
  for (let run = 0; run <= Number(args.runs); run++) {
    for (const engine of ['preseal', 'ethereumjs'] as const) {
      const figure = await measure(engine, program)
      if (run > 0) figures[engine].push(figure)
    }
  }
  const [own, stock] = [median(figures.preseal), median(figures.ethereumjs)]
  const row = [program.name, formatValue(own), formatValue(stock), `×${(own / stock).toFixed(2)}`]
  rows.push(row)
  console.error(row.join('  '))
  if (own > MAX_RATIO * stock) missed.push(`${program.name}: ×${(own / stock).toFixed(1)}`)
}
console.log(alignColumns([['', 'preseal, ns per gas', '@ethereumjs', 'ratio'], ...rows]))
console.log(
  missed.length === 0
    ? `\nNone of ${rows.length} takes more than ${MAX_RATIO} times as long, as intended.`
    : `\nMissed: more than ${MAX_RATIO} times as long takes ${missed.join(', ')}.`,
)
if (missed.length > 0) process.exitCode = 1
