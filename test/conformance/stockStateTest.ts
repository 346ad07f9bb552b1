/** A state test under stock @ethereumjs, to find the cause of a difference. */
import { createBlock } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { RLP } from '@ethereumjs/rlp'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createTxFromRLP } from '@ethereumjs/tx'
import { Account, Address } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { keccak256 } from 'viem'
import { bytesToHex, hexToBytes, hexToWord } from '../../src/base/bytes.ts'
import type { Hex } from '../../src/base/types.ts'
import { verifyProof } from '../../src/ethereum/kzg.ts'
import { forkName } from './networks.ts'
import { BASE_FEE } from './stateTestRunner.ts'
import type { StateTest, StateTestCase, StateTestOutcome } from './stateTests.ts'

/** Executes one transaction of a test with `runTx`. */
export async function runStock(test: StateTest, { txbytes }: StateTestCase): Promise<StateTestOutcome> {
  const customCrypto = { kzg: { verifyProof } as never }
  const common = new Common({ chain: Mainnet, hardfork: forkName(test.fork), customCrypto })
  const stateManager = await fill(test, common)
  const vm = await createVM({ common, stateManager })
  const outcomeOf = async (logs: readonly unknown[], rejected?: string): Promise<StateTestOutcome> => ({
    hash: bytesToHex(await stateManager.getStateRoot()),
    logs: keccak256(RLP.encode(logs as never)),
    ...(rejected !== undefined && { rejected }),
  })
  try {
    const tx = createTxFromRLP(hexToBytes(txbytes), { common })
    const { execResult } = await runTx(vm, { tx, block: toBlock(test, common) })
    return await outcomeOf(execResult.logs ?? [])
  } catch (error) {
    return await outcomeOf([], (error as Error).message)
  }
}

async function fill({ pre }: StateTest, common: Common): Promise<MerkleStateManager> {
  const state = new MerkleStateManager({ common })
  for (const [key, { balance, nonce, code, storage }] of Object.entries(pre)) {
    const address = new Address(hexToBytes(key as Hex))
    await state.putAccount(address, new Account(BigInt(nonce), BigInt(balance)))
    await state.putCode(address, hexToBytes(code))
    for (const [slot, value] of Object.entries(storage)) {
      const word = hexToBytes(hexToWord(slot as Hex))
      await state.putStorage(address, word, hexToBytes(value as Hex))
    }
  }
  return state
}

function toBlock({ env }: StateTest, common: Common) {
  const header = {
    number: env.currentNumber,
    timestamp: env.currentTimestamp,
    coinbase: env.currentCoinbase,
    gasLimit: env.currentGasLimit,
    ...(common.isActivatedEIP(1559) && { baseFeePerGas: env.currentBaseFee ?? BASE_FEE }),
    ...(common.isActivatedEIP(4844) && { excessBlobGas: env.currentExcessBlobGas ?? 0 }),
    ...(!common.gteHardfork(Hardfork.Paris) && { difficulty: env.currentDifficulty }),
    ...(env.currentRandom !== undefined && { mixHash: env.currentRandom }),
  }
  return createBlock({ header }, { common, skipConsensusFormatValidation: true })
}
