// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Returns the EVM's context, and fails in every possible way.
contract Probe {
    /// First of the slots that `fill` sets and `refund` clears.
    uint256 private constant FIRST = 1 << 32;

    event Ping(address indexed who, uint256 indexed n, bytes data);

    error Nope(uint256 code);
    error NotEnoughGas(uint256 have, uint256 want);
    error InnerCallFailed();

    receive() external payable {}

    function context()
        external
        view
        returns (
            uint256 number,
            uint256 timestamp,
            uint256 basefee,
            uint256 prevrandao,
            address coinbase,
            uint256 gaslimit,
            uint256 chainid
        )
    {
        return (
            block.number,
            block.timestamp,
            block.basefee,
            block.prevrandao,
            block.coinbase,
            block.gaslimit,
            block.chainid
        );
    }

    function hashOf(uint256 number) external view returns (bytes32) {
        return blockhash(number);
    }

    /// Custom error `Nope(42)`.
    function fail() external pure {
        revert Nope(42);
    }

    /// `Error("nope")`.
    function failString() external pure {
        revert("nope");
    }

    /// A revert without output.
    function failEmpty() external pure {
        assembly ("memory-safe") {
            revert(0, 0)
        }
    }

    /// `Panic(0x01)`.
    function panic() external pure {
        assert(false);
    }

    /// Runs until it is out of gas.
    function loop() external pure {
        while (true) {}
    }

    /// Opcode 0xfe.
    function invalid() external pure {
        assembly ("memory-safe") {
            invalid()
        }
    }

    function set(uint256 slot, uint256 word) external {
        assembly ("memory-safe") {
            sstore(slot, word)
        }
    }

    function get(uint256 slot) external view returns (uint256 word) {
        assembly ("memory-safe") {
            word := sload(slot)
        }
    }

    /// Hashes `iterations` times.
    function burnGas(uint256 iterations) external pure returns (bytes32 digest) {
        for (uint256 i; i < iterations; i++) digest = keccak256(abi.encode(digest, i));
    }

    /// Emits `Ping(sender, i, i bytes)` for i = 0 … n - 1.
    function emitLogs(uint256 n) external {
        for (uint256 i; i < n; i++) emit Ping(msg.sender, i, new bytes(i));
    }

    /// Reverts with less than `minimum` gas left, although it uses almost none.
    function gasAware(uint256 minimum) external view {
        uint256 have = gasleft();
        if (have < minimum) revert NotEnoughGas(have, minimum);
    }

    /// Calls with all the gas that EIP-150 allows, and fails as the call does.
    function call63(address target, bytes calldata data) external payable returns (bytes memory) {
        (bool ok, bytes memory output) = target.call{value: msg.value}(data);
        if (ok) return output;
        if (output.length == 0) revert InnerCallFailed();
        assembly ("memory-safe") {
            revert(add(output, 32), mload(output))
        }
    }

    /// Sets `n` slots for `refund`.
    function fill(uint256 n) external {
        for (uint256 i; i < n; i++) {
            assembly ("memory-safe") {
                sstore(add(FIRST, i), 1)
            }
        }
    }

    /// Clears the first `n` slots that `fill` set.
    function refund(uint256 n) external {
        for (uint256 i; i < n; i++) {
            assembly ("memory-safe") {
                sstore(add(FIRST, i), 0)
            }
        }
    }

    /// The wei sent with the call.
    function value() external payable returns (uint256) {
        return msg.value;
    }
}
