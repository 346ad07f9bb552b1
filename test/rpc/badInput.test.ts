import { RLP } from '@ethereumjs/rlp'
import { hexToBytes, parseEther, parseGwei, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { toGethGenesis } from '../../src/core/open/genesis.ts'
import { resolveOptions } from '../../src/core/options.ts'
import type { Hex } from '../../src/index.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { startChain, type TestChain } from '../harness.ts'
import { ask, askBoth, type Draft, probeCall, type Scene, send, sign, startScene } from './scene.ts'

const A = `0x${'11'.repeat(20)}`
const H = `0x${'22'.repeat(32)}`

/** The state that a refused request must not change. */
async function stateOf({ preconf }: TestChain): Promise<unknown> {
  return Promise.all([
    ask(preconf, 'txpool_content'),
    ask(preconf, 'eth_getBlockByNumber', ['pending', true]),
    ask(preconf, 'eth_blockNumber'),
  ])
}

describe('request validation', () => {
  it('names the invalid parameter and what is expected', async () => {
    const { chain } = await startScene()
    const before = await stateOf(chain)
    const requests: [method: string, params: unknown][] = [
      ['eth_getBalance', []],
      ['eth_getBalance', [A, 'latest', 1]],
      ['eth_getBalance', [undefined]],
      ['eth_getBalance', [null]],
      ['eth_getBalance', [1]],
      ['eth_getBalance', ['0x1']],
      ['eth_getBalance', [`0x${'zz'.repeat(20)}`]],
      ['eth_getBalance', [A, 'newest']],
      ['eth_getBalance', [A, 'Latest']],
      ['eth_getBalance', [A, 1]],
      ['eth_getBalance', [A, '0x01']],
      ['eth_getBalance', [A, '0x']],
      ['eth_getBalance', [A, '1']],
      ['eth_getBalance', [A, `0x1${'0'.repeat(16)}`]],
      ['eth_getBalance', [A, `${H}00`]],
      ['eth_getBalance', [A, {}]],
      ['eth_getBalance', [A, { blockHash: H, blockNumber: '0x1' }]],
      ['eth_getBalance', [A, { blockHash: '0x1' }]],
      ['eth_getBalance', [A, { blockNumber: '0x01' }]],
      ['eth_getBalance', [A, { blockHash: H, requireCanonical: 'yes' }]],
      ['eth_getBalance', [A, ['latest']]],
      ['eth_getStorageAt', [A]],
      ['eth_getStorageAt', [A, 0]],
      ['eth_getStorageAt', [A, `${H}0`]],
      ['eth_getBlockByNumber', [true, '0x1']],
      ['eth_getBlockByNumber', ['0x1', 'true']],
      ['eth_getBlockByNumber', [H]],
      ['eth_getBlockByNumber', [{ blockNumber: '0x1' }, false]],
      ['eth_getBlockByHash', ['0x1']],
      ['eth_getBlockByHash', [`0x${'2'.repeat(63)}`]],
      ['eth_getTransactionByBlockNumberAndIndex', ['latest', '0x00']],
      ['eth_getTransactionByBlockNumberAndIndex', ['latest', 0]],
      ['eth_getTransactionByBlockNumberAndIndex', ['latest', '0x20000000000000']],
      ['eth_call', []],
      ['eth_call', ['0x']],
      ['eth_call', [[]]],
      ['eth_call', [{ to: '0x' }]],
      ['eth_call', [{ to: A, data: '0x1' }]],
      ['eth_call', [{ to: A, data: '11' }]],
      ['eth_call', [{ to: A, data: '0xgg' }]],
      ['eth_call', [{ to: A, data: '0x11', input: '0x12' }]],
      ['eth_call', [{ to: A, value: 1 }]],
      ['eth_call', [{ to: A, value: '0x00' }]],
      ['eth_call', [{ to: A, value: `0x1${'0'.repeat(64)}` }]],
      ['eth_call', [{ to: A, gas: `0x1${'0'.repeat(16)}` }]],
      ['eth_call', [{ to: A, accessList: {} }]],
      ['eth_call', [{ to: A, accessList: [{ address: A }] }]],
      ['eth_call', [{ to: A, authorizationList: [{ address: A }] }]],
      ['eth_call', [{ to: A }, 'latest', []]],
      ['eth_call', [{ to: A }, 'latest', { [H]: {} }]],
      ['eth_call', [{ to: A }, 'latest', { [A]: { balance: 'all' } }]],
      ['eth_call', [{ to: A }, 'latest', { [A]: { code: '0x1' } }]],
      ['eth_call', [{ to: A }, 'latest', { [A]: { state: { x: H } } }]],
      ['eth_call', [{ to: A }, 'latest', { [A]: { stateDiff: { '0x1': `${H}00` } } }]],
      ['eth_call', [{ to: A }, 'latest', {}, { time: '1' }]],
      ['eth_call', [{ to: A }, 'latest', {}, { time: '0x1', timestamp: '0x2' }]],
      ['eth_call', [{ to: A }, 'latest', {}, {}, {}]],
      ['eth_estimateGas', [null]],
      ['eth_getLogs', []],
      ['eth_getLogs', [{ fromBlock: 'newest' }]],
      ['eth_getLogs', [{ toBlock: '0x01' }]],
      ['eth_getLogs', [{ fromBlock: H }]],
      ['eth_getLogs', [{ blockHash: '0x1' }]],
      ['eth_getLogs', [{ address: 'x' }]],
      ['eth_getLogs', [{ address: [A, 'x'] }]],
      ['eth_getLogs', [{ topics: H }]],
      ['eth_getLogs', [{ topics: [H, '0x1'] }]],
      ['eth_getLogs', [{ topics: [[H, '0x1']] }]],
      ['eth_sendRawTransaction', []],
      ['eth_sendRawTransaction', ['0x']],
      ['eth_sendRawTransaction', ['0x0']],
      ['eth_sendRawTransaction', ['f86c']],
      ['eth_sendRawTransaction', [{}]],
      ['eth_feeHistory', ['0x1']],
      ['eth_feeHistory', ['0x1', 'latest', 50]],
      ['eth_feeHistory', ['0x1', 'latest', Array(101).fill(1)]],
      ['eth_uninstallFilter', ['x']],
      ['eth_chainId', [1]],
      ['eth_chainId', {}],
      ['eth_chainId', 'x'],
      ['eth_getBalance', { address: A }],
      ['eth_accounts', [1]],
      ['eth_sendTransaction', []],
      ['eth_sendTransaction', ['0x']],
      ['eth_sendTransaction', [{ to: A }]],
      ['eth_sendTransaction', [{ from: '0x1', to: A }]],
      ['eth_sendTransactionSync', [{ from: A, to: A }, 'soon']],
      ['eth_sendUnsignedTransaction', [{ to: A }]],
      ['eth_signTransaction', [{}]],
      ['personal_sign', ['0x00']],
      ['personal_sign', ['hello', A]],
      ['personal_sign', ['0x00', A, 1]],
      ['eth_sign', ['0x00', A]],
      ['eth_signTypedData_v4', [A]],
      ['eth_signTypedData_v4', [A, '{']],
      ['eth_signTypedData_v4', [A, { types: [] }]],
      ['anvil_impersonateAccount', ['0x']],
      ['anvil_stopImpersonatingAccount', []],
      ['anvil_autoImpersonateAccount', ['true']],
      ['eth_requestAccounts', [{}]],
      ['wallet_getPermissions', [{ eth_accounts: {} }]],
      ['wallet_requestPermissions', []],
      ['wallet_requestPermissions', [null]],
      ['wallet_requestPermissions', [{ eth_accounts: true }]],
      ['wallet_revokePermissions', []],
      ['wallet_revokePermissions', [{ eth_accounts: [] }]],
      ['wallet_switchEthereumChain', []],
      ['wallet_switchEthereumChain', ['0x7a69']],
      ['wallet_switchEthereumChain', [{ chainId: '0x07a69' }]],
      ['wallet_addEthereumChain', []],
      ['wallet_addEthereumChain', [{ chainId: '0x7a69', rpcUrls: 'http://127.0.0.1:8545' }]],
      ['wallet_addEthereumChain', [{ chainId: '0x7a69', nativeCurrency: { name: 'Ether' } }]],
    ]
    const answers: [string, unknown][] = []
    for (const [method, params] of requests) {
      const answer = (await askBoth(chain, method, params)) as { both: string }
      answers.push([`${method} ${JSON.stringify(params)}`.replaceAll('0'.repeat(64), '0…0'), answer.both])
    }
    expect(Object.fromEntries(answers)).toMatchInlineSnapshot(`
      {
        "anvil_autoImpersonateAccount ["true"]": "error -32602 invalid argument 0: expected a boolean",
        "anvil_impersonateAccount ["0x"]": "error -32602 invalid argument 0: expected a 20-byte address",
        "anvil_stopImpersonatingAccount []": "error -32602 invalid argument count: expected 1, got 0",
        "eth_accounts [1]": "error -32602 invalid argument count: expected 0, got 1",
        "eth_call ["0x"]": "error -32602 invalid argument 0: expected an object",
        "eth_call [[]]": "error -32602 invalid argument 0: expected an object",
        "eth_call []": "error -32602 invalid argument count: expected 1 to 4, got 0",
        "eth_call [{"to":"0x"}]": "error -32602 invalid argument 0.to: expected a 20-byte address",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","accessList":[{"address":"0x1111111111111111111111111111111111111111"}]}]": "error -32602 invalid argument 0.accessList[0].storageKeys: expected an array",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","accessList":{}}]": "error -32602 invalid argument 0.accessList: expected an array",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","authorizationList":[{"address":"0x1111111111111111111111111111111111111111"}]}]": "error -32602 invalid argument 0.authorizationList[0].chainId: expected a hex quantity of up to 256 bits",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","data":"0x1"}]": "error -32602 invalid argument 0.data: expected a hex string of whole bytes",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","data":"0x11","input":"0x12"}]": "error -32602 invalid argument 0.input: expected the same value as data",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","data":"0xgg"}]": "error -32602 invalid argument 0.data: expected a hex string of whole bytes",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","data":"11"}]": "error -32602 invalid argument 0.data: expected a hex string of whole bytes",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","gas":"0x10000000000000000"}]": "error -32602 invalid argument 0.gas: expected a hex quantity of up to 64 bits",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","value":"0x00"}]": "error -32602 invalid argument 0.value: expected a hex quantity of up to 256 bits",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","value":"0x10…0"}]": "error -32602 invalid argument 0.value: expected a hex quantity of up to 256 bits",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111","value":1}]": "error -32602 invalid argument 0.value: expected a hex quantity of up to 256 bits",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",[]]": "error -32602 invalid argument 2: expected an object",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",{"0x1111111111111111111111111111111111111111":{"balance":"all"}}]": "error -32602 invalid argument 2.0x1111111111111111111111111111111111111111.balance: expected a hex quantity of up to 256 bits",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",{"0x1111111111111111111111111111111111111111":{"code":"0x1"}}]": "error -32602 invalid argument 2.0x1111111111111111111111111111111111111111.code: expected a hex string of whole bytes",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",{"0x1111111111111111111111111111111111111111":{"state":{"x":"0x2222222222222222222222222222222222222222222222222222222222222222"}}}]": "error -32602 invalid argument 2.0x1111111111111111111111111111111111111111.state.x: expected a hex string of up to 32 bytes",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",{"0x1111111111111111111111111111111111111111":{"stateDiff":{"0x1":"0x222222222222222222222222222222222222222222222222222222222222222200"}}}]": "error -32602 invalid argument 2.0x1111111111111111111111111111111111111111.stateDiff.0x1: expected a hex string of up to 32 bytes",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",{"0x2222222222222222222222222222222222222222222222222222222222222222":{}}]": "error -32602 invalid argument 2.0x2222222222222222222222222222222222222222222222222222222222222222: expected a 20-byte address",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",{},{"time":"0x1","timestamp":"0x2"}]": "error -32602 invalid argument 3.timestamp: expected the same value as time",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",{},{"time":"1"}]": "error -32602 invalid argument 3.time: expected a hex quantity of up to 64 bits",
        "eth_call [{"to":"0x1111111111111111111111111111111111111111"},"latest",{},{},{}]": "error -32602 invalid argument count: expected 1 to 4, got 5",
        "eth_chainId "x"": "error -32602 invalid argument params: expected an array",
        "eth_chainId [1]": "error -32602 invalid argument count: expected 0, got 1",
        "eth_chainId {}": "error -32602 invalid argument params: expected an array",
        "eth_estimateGas [null]": "error -32602 invalid argument 0: expected an object",
        "eth_feeHistory ["0x1","latest",50]": "error -32602 invalid argument 2: expected an array",
        "eth_feeHistory ["0x1","latest",[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]": "error -32602 invalid argument 2: expected at most 100 items",
        "eth_feeHistory ["0x1"]": "error -32602 invalid argument count: expected 2 to 3, got 1",
        "eth_getBalance ["0x1"]": "error -32602 invalid argument 0: expected a 20-byte address",
        "eth_getBalance ["0x1111111111111111111111111111111111111111","0x"]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111","0x01"]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111","0x10000000000000000"]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111","0x222222222222222222222222222222222222222222222222222222222222222200"]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111","1"]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111","Latest"]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111","latest",1]": "error -32602 invalid argument count: expected 1 to 2, got 3",
        "eth_getBalance ["0x1111111111111111111111111111111111111111","newest"]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111",1]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111",["latest"]]": "error -32602 invalid argument 1: expected a block number, tag or hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111",{"blockHash":"0x1"}]": "error -32602 invalid argument 1.blockHash: expected a 32-byte hash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111",{"blockHash":"0x2222222222222222222222222222222222222222222222222222222222222222","blockNumber":"0x1"}]": "error -32602 invalid argument 1: expected either blockNumber or blockHash",
        "eth_getBalance ["0x1111111111111111111111111111111111111111",{"blockHash":"0x2222222222222222222222222222222222222222222222222222222222222222","requireCanonical":"yes"}]": "error -32602 invalid argument 1.requireCanonical: expected a boolean",
        "eth_getBalance ["0x1111111111111111111111111111111111111111",{"blockNumber":"0x01"}]": "error -32602 invalid argument 1.blockNumber: expected a block number or tag",
        "eth_getBalance ["0x1111111111111111111111111111111111111111",{}]": "error -32602 invalid argument 1: expected either blockNumber or blockHash",
        "eth_getBalance ["0xzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"]": "error -32602 invalid argument 0: expected a 20-byte address",
        "eth_getBalance [1]": "error -32602 invalid argument 0: expected a 20-byte address",
        "eth_getBalance []": "error -32602 invalid argument count: expected 1 to 2, got 0",
        "eth_getBalance [null]": "error -32602 invalid argument 0: expected a 20-byte address",
        "eth_getBalance {"address":"0x1111111111111111111111111111111111111111"}": "error -32602 invalid argument params: expected an array",
        "eth_getBlockByHash ["0x1"]": "error -32602 invalid argument 0: expected a 32-byte hash",
        "eth_getBlockByHash ["0x222222222222222222222222222222222222222222222222222222222222222"]": "error -32602 invalid argument 0: expected a 32-byte hash",
        "eth_getBlockByNumber ["0x1","true"]": "error -32602 invalid argument 1: expected a boolean",
        "eth_getBlockByNumber ["0x2222222222222222222222222222222222222222222222222222222222222222"]": "error -32602 invalid argument 0: expected a block number or tag",
        "eth_getBlockByNumber [true,"0x1"]": "error -32602 invalid argument 0: expected a block number or tag",
        "eth_getBlockByNumber [{"blockNumber":"0x1"},false]": "error -32602 invalid argument 0: expected a block number or tag",
        "eth_getLogs []": "error -32602 invalid argument count: expected 1, got 0",
        "eth_getLogs [{"address":"x"}]": "error -32602 invalid argument 0.address: expected a 20-byte address",
        "eth_getLogs [{"address":["0x1111111111111111111111111111111111111111","x"]}]": "error -32602 invalid argument 0.address[1]: expected a 20-byte address",
        "eth_getLogs [{"blockHash":"0x1"}]": "error -32602 invalid argument 0.blockHash: expected a 32-byte hash",
        "eth_getLogs [{"fromBlock":"0x2222222222222222222222222222222222222222222222222222222222222222"}]": "error -32602 invalid argument 0.fromBlock: expected a block number or tag",
        "eth_getLogs [{"fromBlock":"newest"}]": "error -32602 invalid argument 0.fromBlock: expected a block number or tag",
        "eth_getLogs [{"toBlock":"0x01"}]": "error -32602 invalid argument 0.toBlock: expected a block number or tag",
        "eth_getLogs [{"topics":"0x2222222222222222222222222222222222222222222222222222222222222222"}]": "error -32602 invalid argument 0.topics: expected an array",
        "eth_getLogs [{"topics":["0x2222222222222222222222222222222222222222222222222222222222222222","0x1"]}]": "error -32602 invalid argument 0.topics[1]: expected a 32-byte hash",
        "eth_getLogs [{"topics":[["0x2222222222222222222222222222222222222222222222222222222222222222","0x1"]]}]": "error -32602 invalid argument 0.topics[0][1]: expected a 32-byte hash",
        "eth_getStorageAt ["0x1111111111111111111111111111111111111111","0x22222222222222222222222222222222222222222222222222222222222222220"]": "error -32602 invalid argument 1: expected a hex string of up to 32 bytes",
        "eth_getStorageAt ["0x1111111111111111111111111111111111111111",0]": "error -32602 invalid argument 1: expected a hex string of up to 32 bytes",
        "eth_getStorageAt ["0x1111111111111111111111111111111111111111"]": "error -32602 invalid argument count: expected 2 to 3, got 1",
        "eth_getTransactionByBlockNumberAndIndex ["latest","0x00"]": "error -32602 invalid argument 1: expected a hex quantity of up to 53 bits",
        "eth_getTransactionByBlockNumberAndIndex ["latest","0x20000000000000"]": "error -32602 invalid argument 1: expected a hex quantity of up to 53 bits",
        "eth_getTransactionByBlockNumberAndIndex ["latest",0]": "error -32602 invalid argument 1: expected a hex quantity of up to 53 bits",
        "eth_requestAccounts [{}]": "error -32602 invalid argument count: expected 0, got 1",
        "eth_sendRawTransaction ["0x"]": "error -32602 invalid argument 0: expected a hex string of at least one byte",
        "eth_sendRawTransaction ["0x0"]": "error -32602 invalid argument 0: expected a hex string of at least one byte",
        "eth_sendRawTransaction ["f86c"]": "error -32602 invalid argument 0: expected a hex string of at least one byte",
        "eth_sendRawTransaction []": "error -32602 invalid argument count: expected 1, got 0",
        "eth_sendRawTransaction [{}]": "error -32602 invalid argument 0: expected a hex string of at least one byte",
        "eth_sendTransaction ["0x"]": "error -32602 invalid argument 0: expected an object",
        "eth_sendTransaction []": "error -32602 invalid argument count: expected 1, got 0",
        "eth_sendTransaction [{"from":"0x1","to":"0x1111111111111111111111111111111111111111"}]": "error -32602 invalid argument 0.from: expected a 20-byte address",
        "eth_sendTransaction [{"to":"0x1111111111111111111111111111111111111111"}]": "error -32602 invalid argument 0.from: expected a 20-byte address",
        "eth_sendTransactionSync [{"from":"0x1111111111111111111111111111111111111111","to":"0x1111111111111111111111111111111111111111"},"soon"]": "error -32602 invalid argument 1: expected an integer >= 0 (milliseconds)",
        "eth_sendUnsignedTransaction [{"to":"0x1111111111111111111111111111111111111111"}]": "error -32602 invalid argument 0.from: expected a 20-byte address",
        "eth_sign ["0x00","0x1111111111111111111111111111111111111111"]": "error -32602 invalid argument 0: expected a 20-byte address",
        "eth_signTransaction [{}]": "error -32602 invalid argument 0.from: expected a 20-byte address",
        "eth_signTypedData_v4 ["0x1111111111111111111111111111111111111111","{"]": "error -32602 invalid argument 1: expected JSON",
        "eth_signTypedData_v4 ["0x1111111111111111111111111111111111111111",{"types":[]}]": "error -32602 invalid argument 1.types: expected an object",
        "eth_signTypedData_v4 ["0x1111111111111111111111111111111111111111"]": "error -32602 invalid argument count: expected 2, got 1",
        "eth_uninstallFilter ["x"]": "error -32602 invalid argument 0: expected the id of a filter or a subscription",
        "personal_sign ["0x00","0x1111111111111111111111111111111111111111",1]": "error -32602 invalid argument 2: expected a string",
        "personal_sign ["0x00"]": "error -32602 invalid argument count: expected 2 to 3, got 1",
        "personal_sign ["hello","0x1111111111111111111111111111111111111111"]": "error -32602 invalid argument 0: expected a hex string of whole bytes",
        "wallet_addEthereumChain []": "error -32602 invalid argument count: expected 1, got 0",
        "wallet_addEthereumChain [{"chainId":"0x7a69","nativeCurrency":{"name":"Ether"}}]": "error -32602 invalid argument 0.nativeCurrency.symbol: expected a string",
        "wallet_addEthereumChain [{"chainId":"0x7a69","rpcUrls":"http://127.0.0.1:8545"}]": "error -32602 invalid argument 0.rpcUrls: expected an array",
        "wallet_getPermissions [{"eth_accounts":{}}]": "error -32602 invalid argument count: expected 0, got 1",
        "wallet_requestPermissions []": "error -32602 invalid argument count: expected 1, got 0",
        "wallet_requestPermissions [null]": "error -32602 invalid argument 0: expected an object",
        "wallet_requestPermissions [{"eth_accounts":true}]": "error -32602 invalid argument 0.eth_accounts: expected an object",
        "wallet_revokePermissions []": "error -32602 invalid argument count: expected 1, got 0",
        "wallet_revokePermissions [{"eth_accounts":[]}]": "error -32602 invalid argument 0.eth_accounts: expected an object",
        "wallet_switchEthereumChain ["0x7a69"]": "error -32602 invalid argument 0: expected an object",
        "wallet_switchEthereumChain []": "error -32602 invalid argument count: expected 1, got 0",
        "wallet_switchEthereumChain [{"chainId":"0x07a69"}]": "error -32602 invalid argument 0.chainId: expected a hex quantity of up to 256 bits",
      }
    `)
    expect(
      answers.filter(([, answer]) => !String(answer).startsWith('error -32602 invalid argument')),
    ).toEqual([])
    expect(await stateOf(chain)).toEqual(before)
  })

  it('checks the number of parameters of every method', async () => {
    const { chain } = await startScene()
    for (const [method, { params }] of Object.entries(METHODS)) {
      const tooMany = Array(params.length + 1).fill('0x')
      expect(await ask(chain.preconf, method, tooMany)).toMatch(
        /^error -32602 invalid argument count: expected /,
      )
    }
  })

  it('refuses malformed requests and unknown methods (spec.md 11)', async () => {
    const { chain } = await startScene()
    const requests: Record<string, unknown> = {
      nothing: undefined,
      null: null,
      'a string': 'eth_chainId',
      'a number': 1,
      'an array': [],
      'no method': {},
      'a number as method': { method: 1 },
      'an object as method': { method: {} },
      'null as method': { method: null },
      'unknown method': { method: 'eth_nothing' },
      'empty name': { method: '' },
      'name of a prototype': { method: 'constructor' },
      'another one': { method: '__proto__', params: [] },
      simulate: { method: 'eth_simulateV1', params: [{ blockStateCalls: [] }, 'latest'] },
      'null as params': { method: 'eth_chainId', params: null },
    }
    const answers: Record<string, string> = {}
    for (const [name, request] of Object.entries(requests)) {
      const answer = chain.standard.request(request as { method: string })
      answers[name] = await answer.then(String, ({ code, message }) => `${code} ${message}`)
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "a number": "-32600 invalid request: expected an object with a method",
        "a number as method": "-32600 invalid request: expected a string as method",
        "a string": "-32600 invalid request: expected an object with a method",
        "an array": "-32600 invalid request: expected a string as method",
        "an object as method": "-32600 invalid request: expected a string as method",
        "another one": "-32601 the method __proto__ does not exist/is not available",
        "empty name": "-32601 the method  does not exist/is not available",
        "name of a prototype": "-32601 the method constructor does not exist/is not available",
        "no method": "-32600 invalid request: expected a string as method",
        "nothing": "-32600 invalid request: expected an object with a method",
        "null": "-32600 invalid request: expected an object with a method",
        "null as method": "-32600 invalid request: expected a string as method",
        "null as params": "0x7a69",
        "simulate": "-32601 the method eth_simulateV1 does not exist/is not available",
        "unknown method": "-32601 the method eth_nothing does not exist/is not available",
      }
    `)
  })

  it('rejects every request with 4900 after the chain or its provider is closed', async () => {
    const chain = await startChain()
    const other = chain.provider('preconf')
    const disconnected: unknown[] = []
    other.on('disconnect', ({ code, message }) => disconnected.push(`${code} ${message}`))
    other.close()
    other.close()
    expect(await ask(other, 'eth_chainId')).toBe('error 4900 disconnected')
    expect(await ask(chain.preconf, 'eth_chainId')).toBe('0x7a69')
    const waiting = [ask(chain.standard, 'eth_getBalance', [A]), ask(chain.preconf, 'eth_call', [{}])]
    await chain.close()
    expect(await Promise.all(waiting)).toEqual(Array(2).fill('error 4900 disconnected'))
    expect(await ask(chain.standard, 'eth_chainId')).toBe('error 4900 disconnected')
    expect(await ask(chain.preconf, 'nonsense', 5)).toBe('error 4900 disconnected')
    expect(disconnected).toEqual(['4900 disconnected'])
    for (const run of [() => chain.tick(), () => chain.seal()]) {
      await expect(run()).rejects.toMatchObject({ code: 4900, message: 'disconnected' })
    }
    expect(() => chain.start()).toThrow('disconnected')
  })

  /** Sends a transaction that both views refuse without a change of state; returns the error. */
  async function refuse({ chain }: Pick<Scene, 'chain'>, raw: Hex): Promise<string> {
    const before = await stateOf(chain)
    const answer = (await askBoth(chain, 'eth_sendRawTransaction', [raw])) as { both: string }
    expect(await stateOf(chain)).toEqual(before)
    return answer.both
  }

  it('refuses invalid transactions, and changes nothing', async () => {
    const scene = await startScene()
    const { chain, accounts, probe } = scene
    const to = accounts[0]!
    const account = privateKeyToAccount(chain.accounts[5]!.privateKey)
    const draft = (fields: Partial<Draft>) => sign(chain, 5, { nonce: 0, to, ...fields })
    /** The same transaction with the other s, which recovers to the same sender but is not canonical (EIP-2). */
    const highS = async () => {
      const raw = hexToBytes(await draft({}))
      const fields = RLP.decode(raw.subarray(1)) as Uint8Array[]
      const s =
        0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n - BigInt(toHex(fields[11]!))
      const yParity = fields[9]!.length === 0 ? Uint8Array.of(1) : new Uint8Array(0)
      return toHex(
        Uint8Array.from([
          2,
          ...RLP.encode([...fields.slice(0, 9), yParity, fields[10]!, hexToBytes(toHex(s))]),
        ]),
      )
    }
    const signEip7702 = (authorizationList: never[]) =>
      account.signTransaction({
        type: 'eip7702',
        chainId: 31337,
        nonce: 0,
        to,
        gas: 100_000n,
        maxFeePerGas: parseGwei('10'),
        authorizationList,
      })
    expect({
      junk: await refuse(scene, '0xdeadbeef'),
      'a zero byte': await refuse(scene, '0x00'),
      'cut off': await refuse(scene, (await draft({})).slice(0, -2) as Hex),
      'a byte more': await refuse(scene, `${await draft({})}00`),
      'wrong chain id': await refuse(scene, await draft({ chainId: 1 })),
      'wrong chain id, legacy': await refuse(scene, await draft({ chainId: 1, gasPrice: parseGwei('10') })),
      'high s': await refuse(scene, await highS()),
      "gas above the block's": await refuse(scene, await draft({ gas: 30_000_001n })),
      'gas below the intrinsic': await refuse(scene, await draft({ gas: 20_999n })),
      'gas below the intrinsic, with data': await refuse(
        scene,
        await draft({ gas: 21_063n, data: probeCall('fail') }),
      ),
      'gas below the floor': await refuse(
        scene,
        await draft({ gas: 37_000n, data: `0x${'ff'.repeat(1000)}` }),
      ),
      'nonce too low': await refuse(scene, await sign(chain, 0, { nonce: 2, to })),
      'nonce used by a pre-confirmed transaction': await refuse(
        scene,
        await sign(chain, 0, { nonce: 3, to, maxFeePerGas: parseGwei('99') }),
      ),
      'nonce at its maximum': await refuse(
        scene,
        await account.signTransaction({
          type: 'legacy',
          chainId: 31337,
          nonce: (2n ** 64n - 1n) as never,
          to,
          gas: 21_000n,
          gasPrice: parseGwei('1'),
        }),
      ),
      'fee cap below 7 wei': await refuse(scene, await draft({ maxFeePerGas: 6n, maxPriorityFeePerGas: 0n })),
      'tip above the fee cap': await refuse(
        scene,
        toHex(await withField(await draft({}), 2, parseGwei('11'))),
      ),
      'value above the funds': await refuse(scene, await draft({ value: parseEther('10001') })),
      'gas above the funds': await refuse(
        scene,
        await draft({ maxFeePerGas: parseEther('1'), gas: 10_001n * 3n }),
      ),
      'init code too large': await refuse(
        scene,
        await sign(chain, 5, { nonce: 0, data: `0x${'00'.repeat(49_153)}`, gas: 5_000_000n }),
      ),
      blobs: await refuse(scene, '0x03c0'),
      'empty authorisation list': await refuse(scene, await signEip7702([])),
      'sender without funds': await refuse(
        scene,
        await privateKeyToAccount(`0x${'01'.repeat(32)}`).signTransaction({
          type: 'legacy',
          chainId: 31337,
          nonce: 0,
          to: probe,
          gas: 21_000n,
          gasPrice: parseGwei('1'),
        }),
      ),
    }).toMatchInlineSnapshot(`
      {
        "a byte more": "error -32000 rlp: invalid RLP: remainder must be zero",
        "a zero byte": "error -32000 transaction type not supported",
        "blobs": "error -32000 blob transactions are not accepted by this chain (its option blobs is off)",
        "cut off": "error -32000 rlp: invalid RLP: total length is larger than the data",
        "empty authorisation list": "error -32000 EIP-7702 transaction with empty auth list",
        "fee cap below 7 wei": "error -32000 transaction underpriced",
        "gas above the block's": "error -32000 transaction gas limit too high (cap: 16777216, tx: 30000001); the option transactionGasCap: false lifts the cap",
        "gas above the funds": "error -32000 insufficient funds for gas * price + value",
        "gas below the floor": "error -32000 insufficient gas for floor data gas cost: have 37000, want 61000",
        "gas below the intrinsic": "error -32000 intrinsic gas too low: have 20999, want 21000",
        "gas below the intrinsic, with data": "error -32000 intrinsic gas too low: have 21063, want 21064",
        "high s": "error -32000 invalid sender",
        "init code too large": "error -32000 max initcode size exceeded: code size 49153 limit 49152",
        "junk": "error -32000 rlp: invalid RLP",
        "nonce at its maximum": "error -32000 nonce has max value",
        "nonce too low": "error -32000 nonce too low",
        "nonce used by a pre-confirmed transaction": "error -32000 nonce too low",
        "sender without funds": "error -32000 insufficient funds for gas * price + value",
        "tip above the fee cap": "error -32000 max priority fee per gas higher than max fee per gas",
        "value above the funds": "error -32000 insufficient funds for gas * price + value",
        "wrong chain id": "error -32000 invalid chain id for signer: have 1 want 31337",
        "wrong chain id, legacy": "error -32000 invalid chain id for signer: have 1 want 31337",
      }
    `)
  })

  async function withField(raw: Hex, at: number, value: bigint): Promise<Uint8Array> {
    const fields = RLP.decode(hexToBytes(raw).subarray(1)) as Uint8Array[]
    fields[at] = hexToBytes(toHex(value))
    return Uint8Array.from([2, ...RLP.encode(fields)])
  }

  it("counts a sender's waiting transactions against its funds, and a replacement only once", async () => {
    const scene = await startScene()
    const { chain, accounts } = scene
    const to = accounts[0]!
    await send(chain, 5, { nonce: 0, to, value: parseEther('9000') })
    expect(await refuse(scene, await sign(chain, 5, { nonce: 1, to, value: parseEther('1000') }))).toBe(
      'error -32000 insufficient funds for gas * price + value',
    )
    await send(chain, 5, { nonce: 1, to, value: parseEther('999') })
    const fees = { maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('2') }
    await send(chain, 5, { nonce: 1, to, value: parseEther('999'), ...fees })
  })

  it('refuses a waiting or pre-confirmed transaction as known, and a sealed one for its nonce', async () => {
    const scene = await startScene()
    const { chain, accounts } = scene
    const raw = await sign(chain, 5, { nonce: 0, to: accounts[0]! })
    await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })
    expect(await refuse(scene, raw)).toBe('error -32000 already known')
    await chain.tick()
    expect(await refuse(scene, raw)).toBe('error -32000 already known')
    const fees = { maxFeePerGas: parseGwei('99'), maxPriorityFeePerGas: parseGwei('9') }
    expect(await refuse(scene, await sign(chain, 5, { nonce: 0, to: accounts[0]!, ...fees }))).toBe(
      'error -32000 nonce too low',
    )
    await chain.seal()
    expect(await refuse(scene, raw)).toBe('error -32000 nonce too low')
  })

  it('refuses a replacement that raises either fee by less than a tenth', async () => {
    const scene = await startScene()
    const { chain, accounts } = scene
    const to = accounts[0]!
    const draft = (fee: bigint, tip: bigint) =>
      sign(chain, 5, { nonce: 0, to, value: 1n, maxFeePerGas: fee, maxPriorityFeePerGas: tip })
    await send(chain, 5, {
      nonce: 0,
      to,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    })
    const underpriced = 'error -32000 replacement transaction underpriced'
    expect(await refuse(scene, await draft(10_000_000_000n, 1_000_000_000n))).toBe(underpriced)
    expect(await refuse(scene, await draft(10_999_999_999n, 1_100_000_000n))).toBe(underpriced)
    expect(await refuse(scene, await draft(11_000_000_000n, 1_099_999_999n))).toBe(underpriced)
    await chain.preconf.request({
      method: 'eth_sendRawTransaction',
      params: [await draft(11_000_000_000n, 1_100_000_000n)],
    })
  })

  it('enforces the limits of the mempool', async () => {
    const scene = await startScene({ mempool: { maxPerSender: 3, maxTransactions: 5 } })
    const { chain, accounts } = scene
    const to = accounts[0]!
    for (const nonce of [0, 1, 2]) await send(chain, 5, { nonce, to })
    expect(await refuse(scene, await sign(chain, 5, { nonce: 3, to }))).toBe(
      'error -32000 account limit exceeded',
    )
    const cheap = await sign(chain, 8, { nonce: 1, to, maxPriorityFeePerGas: 0n })
    expect(await refuse(scene, cheap)).toBe('error -32000 transaction underpriced')
  })

  it('refuses EIP-7702 transactions before Prague, and senders with code (EIP-3607)', async () => {
    const chain = await startChain({ hardfork: 'cancun' })
    const account = privateKeyToAccount(chain.accounts[0]!.privateKey)
    const authorization = await account.signAuthorization({
      chainId: 31337,
      contractAddress: A as Hex,
      nonce: 1,
    })
    const raw = await account.signTransaction({
      type: 'eip7702',
      chainId: 31337,
      nonce: 0,
      to: A as Hex,
      gas: 100_000n,
      maxFeePerGas: parseGwei('10'),
      authorizationList: [authorization],
    })
    expect(await refuse({ chain }, raw)).toBe('error -32000 transaction type not supported')

    const genesis = toGethGenesis(resolveOptions(), chain.accounts, 1_700_000_000n)
    const owner = chain.accounts[0]!.address
    const alloc = { ...genesis.alloc, [owner]: { balance: '0xde0b6b3a7640000', code: '0x00' } }
    const withCode = await startChain({ genesis: { ...genesis, alloc } })
    const plain = await account.signTransaction({
      type: 'legacy',
      chainId: 31337,
      nonce: 0,
      to: A as Hex,
      gas: 21_000n,
      gasPrice: parseGwei('2'),
    })
    expect(await refuse({ chain: withCode }, plain)).toBe('error -32000 sender not an eoa')
  })
})
