import { createCommonFromGethGenesis } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address, createAddressFromString } from '@ethereumjs/util'
import { describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../src/base/bytes.ts'
import { loadCrypto } from '../../../../src/base/crypto/crypto.ts'
import { commonOf } from '../../../../src/ethereum/evm/ethereumjs/common.ts'
import { createLeanEVM } from '../../../../src/ethereum/evm/ethereumjs/leanEVM.ts'
import { createChainRules, hardforkConfig } from '../../../../src/ethereum/rules.ts'
import { Probe, Token } from '../../../contracts/artifacts.ts'

/** Further fields that stock @ethereumjs requires of a genesis. */
const STOCK = { difficulty: '0x0', nonce: '0x0', extraData: '0x', timestamp: '0x0' }
const CALLER = createAddressFromString(`0x${'aa'.repeat(20)}`)

async function evms(hardfork: 'shanghai' | 'prague' = 'prague') {
  const config = { config: hardforkConfig(1, hardfork), alloc: {}, gasLimit: '0x1c9c380' }
  const rules = createChainRules(config)
  const common = createCommonFromGethGenesis({ ...STOCK, ...config } as never, { chain: 'stock' })
  common.setHardfork(hardfork)
  const blockchain = (await createEVM({ common })).blockchain
  const states = [new SimpleStateManager({ common }), new SimpleStateManager({ common })] as const
  for (const state of states) await state.putAccount(CALLER, new Account(0n, 10n ** 18n))
  const lean = createLeanEVM(commonOf(rules.at(0n, 0n), await loadCrypto()), {
    stateManager: states[0],
    blockchain,
  })
  return { lean, stock: await createEVM({ common, stateManager: states[1], blockchain }) }
}

/** The outcome of a call, reduced to what our code uses. */
async function outcomeOf(
  evm: Awaited<ReturnType<typeof createEVM>>,
  options: Parameters<typeof evm.runCall>[0],
) {
  const { execResult, createdAddress } = await evm.runCall({
    caller: CALLER,
    gasLimit: 5_000_000n,
    ...options,
  })
  const { exceptionError, executionGasUsed, gasRefund, returnValue, logs, selfdestruct, createdAddresses } =
    execResult
  return {
    created: createdAddress?.toString(),
    error: exceptionError?.error,
    executionGasUsed,
    gasRefund,
    returned: bytesToHex(returnValue),
    logs: logs?.map(([address, topics, data]) => [address, ...topics, data].map(bytesToHex)),
    destroyed: [...(selfdestruct?.entries() ?? [])].map(String),
    createdAddresses: [...(createdAddresses ?? [])],
  }
}

/** Adds its two words of calldata, jumps over invalid opcodes, and returns the sum. */
const JUMPS = '0x5f3560203501600c56fefefe5b5f5260205ff3'
/** Loops endlessly. */
const ENDLESS = '0x5b5f56'
/** Jumps into the data of a push. */
const INTO_DATA = '0x600456605b00'
const REVERTS = '0x60ff5f5260205ffd'

describe('leanEVM', () => {
  test.each(['shanghai', 'prague'] as const)(
    'gives the results of the stock EVM, call after call: %s',
    async (hardfork) => {
      const { lean, stock } = await evms(hardfork)
      const steps = [
        ...[Token.bytecode, Probe.bytecode, '0x5b5f56', '0xfe'].map((code) => ({
          data: hexToBytes(code as never),
        })),
        ...[JUMPS, ENDLESS, INTO_DATA, REVERTS].flatMap((code, i) => {
          const to = new Address(new Uint8Array(20).fill(0x50 + i))
          const data = hexToBytes(`0x${'3'.padStart(64, '0')}${'4'.padStart(64, '0')}`)
          // Twice, as the second call uses the cached analysis of the first.
          return [
            { to, data, code: hexToBytes(code as never) },
            { to, data, code: hexToBytes(code as never), gasLimit: 60_000n },
          ]
        }),
      ]
      for (const step of steps) expect(await outcomeOf(lean, step)).toEqual(await outcomeOf(stock, step))
    },
  )

  test('a code is analysed once per array, and again for another array', async () => {
    const { lean } = await evms()
    const to = new Address(new Uint8Array(20).fill(0x50))
    const first = hexToBytes(JUMPS)
    const run = (code: Uint8Array) =>
      outcomeOf(lean, { to, code, data: hexToBytes(`0x${'5'.padStart(64, '0')}${'6'.padStart(64, '0')}`) })
    const before = await run(first)
    expect(before.returned).toBe(`0x${'b'.padStart(64, '0')}`)
    expect(await run(first)).toEqual(before)
    expect(await run(first.slice())).toEqual(before)
    expect((await run(hexToBytes(INTO_DATA))).error).toMatch(/^invalid JUMP/)
  })

  test('far more code than its cache holds still runs correctly', async () => {
    const { lean } = await evms()
    const to = new Address(new Uint8Array(20).fill(0x50))
    for (let i = 0; i < 60; i++) {
      const code = new Uint8Array(24_576)
      const byte = i.toString(16).padStart(2, '0')
      code.set(hexToBytes(`0x60${byte}5f52600856fe5b60205ff3`))
      const { returned, error } = await outcomeOf(lean, { to, code })
      expect([error, returned]).toEqual([undefined, `0x${i.toString(16).padStart(64, '0')}`])
    }
  })
})
