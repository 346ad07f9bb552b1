import { Account, Address as EthereumjsAddress } from '@ethereumjs/util'
import { expect, test } from 'vitest'
import { hexToBytes } from '../../../../src/base/bytes.ts'
import { loadCrypto } from '../../../../src/base/crypto/crypto.ts'
import { StateAdapter } from '../../../../src/ethereum/evm/ethereumjs/stateAdapter.ts'
import { EMPTY_STATE } from '../../../../src/ethereum/state/account.ts'
import { Overlay } from '../../../../src/ethereum/state/overlay.ts'

const HOLDER = `0x${'dd'.repeat(20)}` as const

test('a balance beyond 2^256 is stored modulo 2^256: SELFDESTRUCT of the EVM adds without a limit', async () => {
  const adapter = new StateAdapter(await loadCrypto())
  const overlay = new Overlay(EMPTY_STATE)
  adapter.use(overlay)
  await adapter.putAccount(new EthereumjsAddress(hexToBytes(HOLDER)), new Account(1n, 2n ** 256n + 5n))
  expect(overlay.account(HOLDER)).toMatchObject({ nonce: 1n, balance: 5n })
})
